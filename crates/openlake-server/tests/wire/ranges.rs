//! RG: ranges at every edge that the store has inside.

use crate::client::Request;
use crate::harness::TestServer;
use crate::life::pattern;

const BLOCK: usize = 1 << 20;

#[test]
fn rg12_every_range_near_an_edge_gives_exactly_its_bytes() {
    let server = TestServer::start();
    let mut client = server.client();
    let sizes = [1, 4095, 4096, 4097, 65_536, 65_537, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 1];
    for (seed, size) in sizes.into_iter().enumerate() {
        let body = pattern(size, seed as u64);
        assert_eq!(client.put("/bucket/k", &body).status, 200);
        for edge in [0, 4096, 65_536, BLOCK, 2 * BLOCK, size] {
            for first in edge.saturating_sub(1)..(edge + 2).min(size) {
                for length in [1, 2, 4097] {
                    let last = (first + length - 1).min(size - 1);
                    let range = format!("bytes={first}-{}", first + length - 1);
                    let got = client.call(&Request::get("/bucket/k").header("range", &range));
                    assert_eq!(got.status, 206, "{size} {range}");
                    let content_range = format!("bytes {first}-{last}/{size}");
                    assert_eq!(got.header("content-range"), Some(content_range.as_str()));
                    assert!(got.body == body[first..=last], "{size} {range}");
                }
            }
        }
    }
}

#[test]
fn rg_unsatisfiable_ranges_are_416_and_conditions_come_first() {
    let server = TestServer::start();
    let mut client = server.client();
    client.put("/bucket/k", b"0123456789");
    client.put("/bucket/empty", b"");
    let ranged = |key: &str, range: &str| Request::get(key).header("range", range);
    for (key, range) in [
        ("/bucket/k", "bytes=10-"),
        ("/bucket/k", "bytes=-0"),
        ("/bucket/empty", "bytes=0-"),
        ("/bucket/empty", "bytes=-5"),
    ] {
        let got = client.call(&ranged(key, range));
        assert_eq!(got.refusal(), (416, "InvalidRange".to_owned()), "{key} {range}");
    }
    let both = ranged("/bucket/k", "bytes=99-").header("if-match", "\"0\"");
    assert_eq!(client.call(&both).refusal(), (412, "PreconditionFailed".to_owned()), "RG9");
    let suffix = client.call(&ranged("/bucket/k", "bytes=-99"));
    assert_eq!((suffix.status, suffix.body.as_slice()), (206, &b"0123456789"[..]), "RG7");
    let head =
        client.call(&Request { method: "HEAD".to_owned(), ..ranged("/bucket/k", "bytes=2-3") });
    assert_eq!((head.status, head.header("content-length")), (206, Some("2")));
}
