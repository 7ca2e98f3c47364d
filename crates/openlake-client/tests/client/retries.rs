//! When a call is tried again, and when it is not.

use std::time::{Duration, Instant};

use crate::server::{Reply, Server};
use openlake_client::{Client, ErrorKind, PutOptions};

#[test]
fn what_may_pass_is_tried_again() {
    for (status, code) in [
        (500, "InternalError"),
        (502, "BadGateway"),
        (503, "SlowDown"),
        (504, "GatewayTimeout"),
        (400, "RequestTimeout"),
    ] {
        let server = Server::start(move |number, _| match number {
            0 | 1 => Reply::error(status, code),
            _ => Reply::new(200, "etag: \"e\"\r\n", b""),
        });
        let outcome = server.client().put_object("bkt", "k", b"abc", &PutOptions::default());
        assert!(outcome.is_ok(), "{code}");
        let received = server.received();
        assert_eq!(received.len(), 3, "{code}");
        assert!(received.iter().all(|request| request.body == b"abc"));
    }
}

#[test]
fn what_is_final_is_said_at_once_with_all_that_is_known() {
    for (status, code) in
        [(403, "AccessDenied"), (404, "NoSuchKey"), (501, "NotImplemented"), (507, "DiskFull")]
    {
        let server = Server::start(move |_, _| Reply::error(status, code));
        let error = server.client().get_object("bkt", "k/1", None).err().unwrap();
        assert_eq!((error.kind, error.status), (ErrorKind::Service, Some(status)));
        assert!(error.is_code(code));
        assert_eq!(error.request_id.as_deref(), Some("R1"));
        let text = format!("{code}: as told (s3://bkt/k/1, HTTP {status}, request R1)");
        assert_eq!(error.to_string(), text);
        assert_eq!(server.received().len(), 1);
    }
}

#[test]
fn attempts_end() {
    let server = Server::start(|_, _| Reply::error(503, "SlowDown"));
    let error = server.client().delete_object("bkt", "k").unwrap_err();
    assert_eq!((error.attempts, server.received().len()), (5, 5));
}

#[test]
fn a_connection_that_was_closed_while_idle_costs_no_attempt() {
    let server = Server::start(|number, _| {
        let reply = Reply::new(204, "", b"");
        if number == 0 { reply.closing() } else { reply }
    });
    let mut config = server.config();
    config.attempts_max = 1;
    let client = Client::new(config).unwrap();
    for _ in 0..3 {
        client.delete_object("bkt", "k").unwrap();
    }
}

#[test]
fn a_silent_server_meets_the_deadline() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut config = Server::start(|_, _| Reply::error(500, "unused")).config();
    config.endpoint = format!("http://{}", listener.local_addr().unwrap());
    config.deadline = Duration::from_millis(200);
    let clock = Instant::now();
    let error = Client::new(config).unwrap().delete_object("bkt", "k").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Deadline, "{error}");
    assert!((200..2000).contains(&clock.elapsed().as_millis()));
}

#[test]
fn nobody_listening_is_its_own_kind() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut config = Server::start(|_, _| Reply::error(500, "unused")).config();
    config.endpoint = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = Client::new(config).unwrap().delete_object("bkt", "k").unwrap_err();
    assert_eq!((error.kind, error.attempts), (ErrorKind::Connect, 5), "{error}");
}

#[test]
fn a_head_answer_without_a_body_still_has_a_code() {
    let server = Server::start(|_, _| Reply {
        bytes: b"HTTP/1.1 404 X\r\nContent-Length: 200\r\n\r\n".to_vec(),
        keep: true,
    });
    let client = server.client();
    assert!(client.head_object("bkt", "k").unwrap_err().is_code("NotFound"));
    assert!(!client.head_bucket("bkt").unwrap());
}

#[test]
fn a_chunked_error_is_read() {
    let server = Server::start(|_, _| Reply {
        bytes:
            b"HTTP/1.1 409 X\r\nTransfer-Encoding: chunked\r\n\r\n\
                 a\r\n<Error><Co\r\n1e;x=y\r\nde>Conflict</Code></Error     \r\n1\r\n>\r\n0\r\n\r\n"
                .to_vec(),
        keep: true,
    });
    let error = server.client().create_bucket("bkt").unwrap_err();
    assert!(error.is_code("Conflict"), "{error:?}");
}
