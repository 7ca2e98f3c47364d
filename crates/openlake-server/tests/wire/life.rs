//! Objects from put to delete, over a restart.

use crate::client::Request;
use crate::harness::TestServer;

/// Incompressible and different at every offset.
pub fn pattern(bytes: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut data = Vec::with_capacity(bytes + 8);
    while data.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        data.extend_from_slice(&state.to_le_bytes());
    }
    data.truncate(bytes);
    data
}

#[test]
fn objects_of_every_size_read_back_before_and_after_a_restart() {
    let sizes = [0, 1, 4096, 65_536, 65_537, 131_073, 1 << 20, (1 << 20) + 1, 5_000_000];
    let server = TestServer::start();
    let mut client = server.client();
    for (seed, &size) in sizes.iter().enumerate() {
        let body = pattern(size, seed as u64);
        let put = client.put(&format!("/bucket/of/{size}"), &body);
        assert_eq!(put.status, 200, "{}", put.text());
    }
    let server = {
        let check = |server: &TestServer| {
            let mut client = server.client();
            for (seed, &size) in sizes.iter().enumerate() {
                let got = client.get(&format!("/bucket/of/{size}"));
                assert_eq!(got.status, 200, "{size}");
                assert!(got.body == pattern(size, seed as u64), "bytes of {size}");
            }
        };
        check(&server);
        drop(client);
        let server = server.restart();
        check(&server);
        server
    };
    let mut client = server.client();
    assert_eq!(client.delete("/bucket/of/4096").status, 204);
    assert_eq!(client.delete("/bucket/of/4096").status, 204, "VR6");
    assert_eq!(client.get("/bucket/of/4096").refusal(), (404, "NoSuchKey".to_owned()));
    let listed = client.get("/bucket?list-type=2&prefix=of%2F").elements("Key");
    assert_eq!(listed.len(), sizes.len() - 1);
    let server = server.restart();
    assert_eq!(server.client().get("/bucket/of/4096").status, 404, "deleted data stays deleted");
}

#[test]
fn multipart_objects_read_back_before_and_after_a_restart() {
    let server = TestServer::start();
    let mut client = server.client();
    let upload = client.call(&Request::new("POST", "/bucket/big?uploads")).text();
    let parts = [pattern(5 << 20, 1), pattern(6 << 20, 2), pattern(1234, 3)];
    let mut lines = String::new();
    for (number, part) in parts.iter().enumerate().rev() {
        let target = format!("/bucket/big?partNumber={}&uploadId={upload}", number + 1);
        let put = client.put(&target, part);
        assert_eq!(put.status, 200, "{}", put.text());
        lines = format!("{} {}\n{lines}", number + 1, put.header("etag").expect("an ETag"));
    }
    let complete = Request {
        body: lines.into_bytes(),
        ..Request::new("POST", &format!("/bucket/big?uploadId={upload}"))
    };
    // A checksum here is that of the object; the list of parts must not be held against it.
    let complete = complete.header("x-amz-checksum-crc64nvme", "AAAAAAAAAAA=");
    let completed = client.call(&complete);
    assert!(completed.text().ends_with("-3"), "{}", completed.text());
    let whole = parts.concat();
    let check = |server: &TestServer| {
        let mut client = server.client();
        assert_eq!(client.get("/bucket/big").body, whole);
        let second = client.get("/bucket/big?partNumber=2");
        assert_eq!((second.status, second.header("x-amz-mp-parts-count")), (206, Some("3")));
        assert_eq!(second.body, parts[1]);
        let across = Request::get("/bucket/big").header("range", "bytes=5242000-5243999");
        assert_eq!(client.call(&across).body, whole[5_242_000..5_244_000]);
        assert_eq!(client.get("/bucket/big?partNumber=4").refusal().0, 416);
    };
    check(&server);
    drop(client);
    let server = server.restart();
    check(&server);
}
