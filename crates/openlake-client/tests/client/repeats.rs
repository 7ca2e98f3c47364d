//! A request is sent again only if that cannot change what it does (RFC 9110, 9.2.2).

use std::sync::Barrier;

use crate::server::{Reply, Server};
use openlake_client::{Client, ClientError, ErrorKind, PutOptions, UploadedPart};

type Call = fn(&Client) -> Result<(), ClientError>;

const ABSENT: PutOptions =
    PutOptions { content_type: None, metadata: Vec::new(), if_none_match: true, if_match: None };

fn part() -> UploadedPart {
    UploadedPart { number: 1, etag: "e".to_owned(), size_bytes: 3, crc64nvme: [7; 8] }
}

fn put(client: &Client) -> Result<(), ClientError> {
    client.put_object("bkt", "k", b"abc", &PutOptions::default()).map(drop)
}

/// A second time they do harm, or are refused for what the first time did.
const ONCE: [(&str, Call); 6] = [
    ("CreateMultipartUpload", |client| {
        client.create_multipart_upload("bkt", "k", &PutOptions::default()).map(drop)
    }),
    ("PutObject if absent", |client| client.put_object("bkt", "k", b"abc", &ABSENT).map(drop)),
    ("PutObject if the same", |client| {
        let options = PutOptions { if_match: Some("e".to_owned()), ..PutOptions::default() };
        client.put_object("bkt", "k", b"abc", &options).map(drop)
    }),
    ("CompleteMultipartUpload if absent", |client| {
        client.complete_multipart_upload("bkt", "k", "u", &[part()], &ABSENT).map(drop)
    }),
    ("CreateBucket", |client| client.create_bucket("bkt")),
    ("DeleteBucket", |client| client.delete_bucket("bkt")),
];

const AGAIN: [(&str, Call); 5] = [
    ("PutObject", put),
    ("UploadPart", |client| client.upload_part("bkt", "k", "u", 1, b"abc").map(drop)),
    ("CompleteMultipartUpload", |client| {
        let options = PutOptions::default();
        client.complete_multipart_upload("bkt", "k", "u", &[part()], &options).map(drop)
    }),
    ("AbortMultipartUpload", |client| client.abort_multipart_upload("bkt", "k", "u")),
    ("DeleteObject", |client| client.delete_object("bkt", "k")),
];

const UNKNOWN: &str = "whether the server has carried it out is not known";

/// What every operation here takes for success.
fn success() -> Reply {
    let body = b"<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>";
    Reply::new(200, "etag: \"e\"\r\n", body)
}

#[test]
fn what_must_not_come_twice_is_not_sent_again_when_the_answer_is_lost() {
    for (name, call) in ONCE {
        let server = Server::start(|_, _| Reply::none());
        let error = call(&server.client()).expect_err(name);
        assert_eq!((error.kind, error.attempts), (ErrorKind::Connection, 1), "{name}");
        assert!(error.message.contains(UNKNOWN), "{name}: {error}");
        assert_eq!(server.received().len(), 1, "{name}");
    }
}

#[test]
fn nor_is_it_on_a_connection_that_was_used_before() {
    for (name, call) in ONCE {
        let server = Server::start(|number, _| match number {
            0 => success(),
            _ => Reply::none(),
        });
        let client = server.client();
        put(&client).expect(name);
        let error = call(&client).expect_err(name);
        assert!(error.message.contains(UNKNOWN), "{name}: {error}");
        assert_eq!(server.received().len(), 2, "{name}");
    }
}

#[test]
fn nor_when_the_server_failed_halfway() {
    for (name, call) in ONCE {
        for (status, code) in [(500, "InternalError"), (502, "BadGateway"), (504, "GatewayTimeout")]
        {
            let server = Server::start(move |_, _| Reply::error(status, code));
            let error = call(&server.client()).expect_err(name);
            assert_eq!((error.kind, error.status), (ErrorKind::Service, Some(status)), "{name}");
            assert!(error.is_code(code) && error.message.contains(UNKNOWN), "{name}: {error}");
            assert_eq!(server.received().len(), 1, "{name}");
        }
    }
}

#[test]
fn it_is_when_the_server_says_that_it_did_nothing() {
    for (name, call) in ONCE {
        for (status, code) in [(503, "SlowDown"), (400, "RequestTimeout")] {
            let server = Server::start(move |_, _| Reply::error(status, code));
            let error = call(&server.client()).expect_err(name);
            assert!(error.is_code(code) && !error.message.contains(UNKNOWN), "{name}: {error}");
            assert_eq!((error.attempts, server.received().len()), (5, 5), "{name}");
        }
    }
}

#[test]
fn what_may_come_twice_is_sent_again_when_the_answer_is_lost() {
    for (name, call) in AGAIN {
        let server = Server::start(|number, _| match number {
            0 | 1 => Reply::none(),
            _ => success(),
        });
        call(&server.client()).expect(name);
        assert_eq!(server.received().len(), 3, "{name}");
    }
}

#[test]
fn a_connection_that_breaks_when_it_is_used_again_is_followed_by_a_new_one() {
    const KEPT: usize = 4;
    let meeting = Barrier::new(KEPT);
    let server = Server::start(move |number, request| {
        if number < KEPT {
            meeting.wait();
        } else if request.connection < KEPT {
            return Reply::none();
        }
        success()
    });
    let mut config = server.config();
    config.attempts_max = 1;
    let client = Client::new(config).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..KEPT {
            scope.spawn(|| put(&client).unwrap());
        }
    });
    put(&client).unwrap();
    let connections: Vec<_> =
        server.received().iter().skip(KEPT).map(|request| request.connection).collect();
    assert!(connections[0] < KEPT, "{connections:?}");
    assert_eq!(connections[1..], [KEPT]);
}
