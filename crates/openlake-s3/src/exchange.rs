//! One request and its answer: verified, allowed, routed, answered; and what becomes of the
//! connection afterwards.

use std::rc::Rc;

use bytes::Bytes;
use openlake_io::net::TcpStream;
use openlake_io::runtime::timeout;
use openlake_io::{Buffer, LARGE_BYTES};
use openlake_store::{ObjectReader, StoreError};

use crate::access::AccessTables;
use crate::auth::{AuthContext, Identity};
use crate::body::{BodyPlan, BodyVerifier, PayloadMode};
use crate::control::{CollectedShare, ControlAnswer, ControlPlane, ControlRequest};
use crate::error::{S3Error, S3ErrorCode};
use crate::http::answer::{Answer, AnswerBody, CommonHeaders, is_header_value};
use crate::http::connection::{Connection, NoHead};
use crate::http::head_parser::ParsedHead;
use crate::http::request_body::RequestBody;
use crate::ops::{self, HotRequest, s3_error};
use crate::request_head::{Method, RequestHead};
use crate::request_id::RequestId;
use crate::router::{Route, route};
use crate::service::{Disk, HotAnswer, Service};
use crate::target::{Query, Resource, Target};
use crate::timeouts::Phase;

/// What of a body is read and dropped so that the connection can go on after a refusal.
const DRAIN_BYTES_MAX: u64 = 1 << 20;
/// What is read and dropped so that the client can read a last answer.
const LINGER_BYTES_MAX: usize = 16 << 20;
/// Bodies up to this size are copied behind the head: one send of one buffer.
pub(crate) const COPIED_BYTES_MAX: usize = 16 << 10;

enum Next {
    Request,
    Close,
    /// The client may still be sending.
    Linger,
}

/// An answer could not be sent, or its body not be read, to the end: nothing may follow it.
struct Cut;

pub(crate) async fn serve<C: ControlPlane>(service: &Rc<Service<C>>, stream: TcpStream) {
    let mut connection = Connection::new(stream, service.reaper());
    loop {
        let next = match connection.next_head().await {
            Ok(head) => exchange(service, &mut connection, head).await,
            Err(NoHead::Closed) => return,
            Err(NoHead::Refused(error)) => refuse_head(service, &connection, &error).await,
        };
        match next {
            // A shutdown has closed the idle ones; this one became idle after that.
            Ok(Next::Request) if service.is_closing() && connection.received().is_empty() => return,
            Ok(Next::Request) => {}
            Ok(Next::Linger) => return connection.linger(LINGER_BYTES_MAX).await,
            Ok(Next::Close) => return,
            Err(Cut) => return service.counters.cut_answers.add(1),
        }
    }
}

async fn refuse_head<C: ControlPlane>(
    service: &Service<C>,
    connection: &Connection,
    error: &S3Error,
) -> Result<Next, Cut> {
    let id = service.request_ids.next();
    let answer = Answer::error(error.answer(Method::Get, b"", id.as_str()), false);
    send(service, connection, (answer, None), (id, true)).await?;
    Ok(Next::Linger)
}

async fn exchange<C: ControlPlane>(
    service: &Rc<Service<C>>,
    connection: &mut Connection,
    head: ParsedHead,
) -> Result<Next, Cut> {
    let ParsedHead { mut request, framing, expects_continue, keep_alive, .. } = head;
    let mut body = RequestBody::new(connection, framing, expects_continue);
    let id = service.request_ids.next();
    let mut answer = match respond(service, &mut request, &mut body, id).await {
        Ok(answer) => answer,
        Err(error) => refusal(&request, &error, id),
    };
    let first = match first_bytes(service, &mut answer).await {
        Ok(first) => first,
        Err(error) => {
            answer = refusal(&request, &error, id);
            None
        }
    };
    let can_go_on = body.can_drain(DRAIN_BYTES_MAX);
    let closes = !keep_alive || service.is_closing() || !can_go_on;
    send(service, body.connection(), (answer, first), (id, closes)).await?;
    if !body.drain(DRAIN_BYTES_MAX).await {
        return Ok(Next::Linger);
    }
    // Closing with requests unread would reset the connection under the answer.
    let is_all_read = connection.received().is_empty();
    Ok(match (closes, is_all_read) {
        (false, _) => Next::Request,
        (true, true) => Next::Close,
        (true, false) => Next::Linger,
    })
}

fn refusal(request: &RequestHead, error: &S3Error, id: RequestId) -> HotAnswer {
    let answer = error.answer(request.method, &request.target, id.as_str());
    Answer::error(answer, request.method == Method::Head)
}

async fn respond<C: ControlPlane>(
    service: &Rc<Service<C>>,
    request: &mut RequestHead,
    body: &mut RequestBody<'_>,
    id: RequestId,
) -> Result<HotAnswer, S3Error> {
    if request.method == Method::Other {
        return Err(S3ErrorCode::MethodNotAllowed.into());
    }
    let target = Target::parse(request);
    let tables = service.tables();
    let auth = service.verifier().verify(request, &tables.keys, service.now())?;
    let target = target?;
    let route = route(request.method, &target, &request.headers)?;
    service.counters.routed(route);
    let Target { resource, query } = &target;
    let Route::Hot(verb) = route else {
        let plan = control_plan(request, query, auth.payload)?;
        if plan.size > 0 {
            admit_body(&tables, &auth.identity, request, &target)?;
        }
        // The share is held until the control plane has answered.
        let (collected, _share) = collect(service, plan, body).await?;
        return control(service, request, collected, (auth, id)).await;
    };
    let bucket = resource.bucket().expect("every hot verb names a bucket");
    tables.check(&auth.identity, bucket)?;
    if let Some(expected) = request.headers.get_text("x-amz-expected-bucket-owner") {
        tables.check_expected_owner(bucket, expected)?;
    }
    if !verb.has_body() {
        collect(service, BodyPlan::for_control(&request.headers, auth.payload)?, body).await?;
    }
    let request = HotRequest { head: request, query, resource, auth };
    ops::run(service, verb, request, body).await
}

/// What the head alone decides against a request is said before its body is asked for (CN1). The
/// control plane looks again, at everything.
fn admit_body(
    tables: &AccessTables,
    identity: &Identity,
    request: &RequestHead,
    target: &Target,
) -> Result<(), S3Error> {
    let Some(bucket) = target.resource.bucket() else { return Ok(()) };
    let makes_bucket =
        request.method == Method::Put && matches!(target.resource, Resource::Bucket(_));
    if makes_bucket {
        return Ok(());
    }
    tables.check(identity, bucket)?;
    if let Some(expected) = request.headers.get_text("x-amz-expected-bucket-owner") {
        tables.check_expected_owner(bucket, expected)?;
    }
    if tables.owners.contains_key(bucket.as_str()) {
        Ok(())
    } else {
        Err(S3Error::new(S3ErrorCode::NoSuchBucket).field("BucketName", bucket.as_str()))
    }
}

fn control_plan(
    request: &RequestHead,
    query: &Query,
    payload: PayloadMode,
) -> Result<BodyPlan, S3Error> {
    if request.method == Method::Post && query.has("uploadId") {
        BodyPlan::for_completion(&request.headers, payload)
    } else {
        BodyPlan::for_control(&request.headers, payload)
    }
}

async fn control<C: ControlPlane>(
    service: &Service<C>,
    request: &RequestHead,
    body: Bytes,
    (auth, id): (AuthContext, RequestId),
) -> Result<HotAnswer, S3Error> {
    let question = ControlRequest {
        request_id: id.as_str().to_owned(),
        method: request.method,
        target: request.target.clone(),
        headers: request.headers.clone(),
        body,
        identity: auth.identity,
    };
    let answer = service.control().call(question).await;
    let ControlAnswer { status, headers, body } =
        answer.ok_or_else(|| S3Error::new(S3ErrorCode::SlowDown))?;
    let mut answer = Answer::new(status);
    for (name, value) in &headers {
        if !is_header_value(value.as_bytes()) || !is_header_value(name.as_bytes()) {
            eprintln!("openlake: the control plane gave a header {name:?} that cannot be sent");
            return Err(S3ErrorCode::InternalError.into());
        }
        answer.header(name, value);
    }
    answer.body = match status {
        204 | 304 => AnswerBody::None,
        _ if request.method == Method::Head => AnswerBody::Omitted(body.len() as u64),
        _ => AnswerBody::Bytes(body),
    };
    Ok(answer)
}

/// The whole of a bounded body, verified, and its share of the shard's budget.
async fn collect<C: ControlPlane>(
    service: &Service<C>,
    plan: BodyPlan,
    body: &mut RequestBody<'_>,
) -> Result<(Bytes, CollectedShare), S3Error> {
    let slow_down = || S3Error::new(S3ErrorCode::SlowDown);
    let share = service.collected().take(plan.size).ok_or_else(slow_down)?;
    if plan.size > 0 {
        body.begin().await?;
    }
    let size = plan.size as usize;
    let mut collected = Vec::with_capacity(size);
    while collected.len() < size {
        let count = (size - collected.len()).min(LARGE_BYTES);
        let buffer = service.buffers().large_within(service.timeouts().buffer).await;
        let buffer = buffer.ok_or_else(slow_down)?;
        let buffer = body.receive_exact(buffer, count).await?;
        collected.extend_from_slice(buffer.filled());
    }
    BodyVerifier::verify_whole(plan, &collected)?;
    service.counters.received_bytes.add(plan.size);
    Ok((collected.into(), share))
}

/// Reads the first bytes before the status line is sent, so that an object that cannot be read is
/// still answered by an error document.
async fn first_bytes<C: ControlPlane>(
    service: &Service<C>,
    answer: &mut HotAnswer,
) -> Result<Option<Buffer>, S3Error> {
    match &mut answer.body {
        AnswerBody::Stream(reader, _) => next_bytes(service, reader).await,
        _ => Ok(None),
    }
}

/// Waits for memory, and so for the drive, no longer than an upload does.
async fn next_bytes<C: ControlPlane>(
    service: &Service<C>,
    reader: &mut ObjectReader<Disk>,
) -> Result<Option<Buffer>, S3Error> {
    let bytes = timeout(service.timeouts().buffer, reader.next()).await;
    bytes.unwrap_or(Err(StoreError::TooBusy)).map_err(s3_error)
}

async fn send<C: ControlPlane>(
    service: &Service<C>,
    connection: &Connection,
    (answer, first): (HotAnswer, Option<Buffer>),
    (id, closes): (RequestId, bool),
) -> Result<(), Cut> {
    service.counters.answered(answer.status);
    let date = service.date();
    let common = CommonHeaders { request_id: id.as_str(), date: date.as_str(), closes };
    let (head, body) = answer.finish(&common);
    let sent = match body {
        AnswerBody::None | AnswerBody::Omitted(_) => connection.send(head).await,
        AnswerBody::Bytes(bytes) => send_with_head(connection, head, bytes.into()).await,
        AnswerBody::Memory(bytes) => {
            service.counters.sent_bytes.add(bytes.len() as u64);
            send_with_head(connection, head, bytes).await
        }
        AnswerBody::Stream(reader, length) => {
            let first = first.ok_or(Cut)?;
            service.counters.sent_bytes.add(length);
            let rest = length - first.len() as u64;
            send_with_head(connection, head, first).await.map_err(|_| Cut)?;
            return send_stream(service, connection, reader, rest).await;
        }
    };
    sent.map_err(|_| Cut)
}

async fn send_with_head(
    connection: &Connection,
    mut head: Vec<u8>,
    body: Buffer,
) -> std::io::Result<()> {
    if body.len() <= COPIED_BYTES_MAX {
        head.extend_from_slice(&body);
        return connection.send(head).await;
    }
    connection.send_both(head, body).await
}

/// What comes after the first bytes. An object that cannot be read to its end ends the connection:
/// the client never takes fewer or other bytes for the whole.
async fn send_stream<C: ControlPlane>(
    service: &Service<C>,
    connection: &Connection,
    mut reader: ObjectReader<Disk>,
    mut rest: u64,
) -> Result<(), Cut> {
    while rest > 0 {
        connection.watch.enter(Phase::Work);
        let buffer = next_bytes(service, &mut reader).await.map_err(|_| Cut)?.ok_or(Cut)?;
        rest = rest.checked_sub(buffer.len() as u64).ok_or(Cut)?;
        connection.send_buffer(buffer).await.map_err(|_| Cut)?;
    }
    Ok(())
}
