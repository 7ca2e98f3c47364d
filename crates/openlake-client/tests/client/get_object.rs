//! GetObject: whole and ranged, checked, straight into the caller's buffer.

use crate::server::{Reply, Server};
use openlake_client::ErrorKind;
use openlake_types::ByteRange;

const SUM: &str = "ETag: \"e\"\r\nx-amz-checksum-crc64nvme: rosUhgp5mIg=\r\n\
                   x-amz-checksum-type: FULL_OBJECT\r\nx-amz-meta-a: b\r\n";

#[test]
fn a_whole_object_is_checked_against_its_stored_checksum() {
    let server = Server::start(|number, _| {
        let body: &[u8] = if number == 0 { b"123456789" } else { b"123456780" };
        Reply::new(200, SUM, body)
    });
    let client = server.client();
    let got = client.get_object("bkt", "k", None).unwrap();
    assert_eq!(got.body, b"123456789");
    assert_eq!((got.info.size_bytes, got.info.etag.as_str()), (9, "e"));
    assert_eq!(got.info.metadata, [("a".to_owned(), "b".to_owned())]);
    assert_eq!(server.received()[0].header("x-amz-checksum-mode"), Some("ENABLED"));
    let error = client.get_object("bkt", "k", None).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Integrity, "{error}");
    assert_eq!((error.bucket.as_str(), error.key.as_str()), ("bkt", "k"));
}

#[test]
fn other_checksums_are_checked_too_and_composite_ones_are_left() {
    let server = Server::start(|number, _| {
        let sum = match number {
            // CRC32 of "123456789" is cbf43926.
            0 => "x-amz-checksum-crc32: y/Q5Jg==\r\n",
            1 => "x-amz-checksum-crc32: y/Q5Jw==\r\n",
            _ => "x-amz-checksum-crc32: y/Q5Jw==-2\r\n",
        };
        Reply::new(200, sum, b"123456789")
    });
    let client = server.client();
    assert!(client.get_object("bkt", "k", None).is_ok());
    assert!(client.get_object("bkt", "k", None).is_err());
    assert!(client.get_object("bkt", "k", None).is_ok());
}

#[test]
fn a_range_lands_in_the_buffer() {
    let data: Vec<u8> = (0..3_000_000u32).map(|i| (i % 251) as u8).collect();
    let whole = data.clone();
    let server = Server::start(move |_, request| {
        assert_eq!(request.header("range"), Some("bytes=10-2500009"));
        let header = "content-range: bytes 10-2500009/3000000\r\n";
        Reply::new(206, header, &whole[10..2_500_010])
    });
    let mut buffer = vec![0; 2_600_000];
    let range = Some(ByteRange { start: 10, end: 2_500_010 });
    let got = server.client().get_object_into("bkt", "k", &mut buffer, range).unwrap();
    assert_eq!((got.received_bytes, got.info.size_bytes), (2_500_000, 3_000_000));
    assert_eq!(buffer[..2_500_000], data[10..2_500_010]);
}

#[test]
fn an_answer_to_another_range_is_not_taken() {
    let server = Server::start(|number, _| match number {
        0 => Reply::new(200, "", b"123456789"),
        _ => Reply::new(206, "content-range: bytes 1-3/9\r\n", b"234"),
    });
    let client = server.client();
    for _ in 0..2 {
        let error = client.get_object("bkt", "k", Some(ByteRange { start: 0, end: 3 }));
        assert_eq!(error.err().unwrap().kind, ErrorKind::Protocol);
    }
    let empty = client.get_object("bkt", "k", Some(ByteRange { start: 3, end: 3 }));
    assert_eq!(empty.err().unwrap().kind, ErrorKind::InvalidInput);
}

#[test]
fn a_buffer_too_small_is_an_error_and_not_a_cut() {
    let server = Server::start(|_, _| Reply::new(200, "", b"123456789"));
    let mut buffer = [0; 8];
    let error = server.client().get_object_into("bkt", "k", &mut buffer, None).err().unwrap();
    assert_eq!(error.kind, ErrorKind::InvalidInput, "{error}");
}

#[test]
fn a_body_cut_short_is_an_error() {
    let server = Server::start(|_, _| {
        let mut reply = Reply::new(200, "", b"123456789").closing();
        reply.bytes.pop();
        reply
    });
    let error = server.client().get_object("bkt", "k", None).err().unwrap();
    assert_eq!((error.kind, error.attempts), (ErrorKind::Connection, 5), "{error}");
}
