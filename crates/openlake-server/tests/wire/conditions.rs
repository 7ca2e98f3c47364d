//! CD: conditional requests over the wire.

use crate::client::Request;
use crate::harness::TestServer;

#[test]
fn cd1_cd2_a_put_that_must_not_replace() {
    let server = TestServer::start();
    let mut client = server.client();
    let put = |body: &str| Request::put("/bucket/k", body).header("if-none-match", "*");
    assert_eq!(client.call(&put("first")).status, 200);
    assert_eq!(client.call(&put("second")).refusal(), (412, "PreconditionFailed".to_owned()));
    assert_eq!(client.get("/bucket/k").body, b"first");
    let other = Request::put("/bucket/k", "third").header("if-none-match", "\"abc\"");
    assert_eq!(client.call(&other).refusal(), (501, "NotImplemented".to_owned()));
}

#[test]
fn cd5_of_racing_creators_exactly_one_wins() {
    let server = TestServer::start();
    let racers: Vec<_> = (0..8)
        .map(|number| {
            let mut client = server.client();
            std::thread::spawn(move || {
                let body = format!("racer {number}");
                let put = Request::put("/bucket/raced", body.clone()).header("if-none-match", "*");
                (client.call(&put).status, body)
            })
        })
        .collect();
    let ends: Vec<_> = racers.into_iter().map(|racer| racer.join().expect("no panic")).collect();
    let winners: Vec<_> = ends.iter().filter(|(status, _)| *status == 200).collect();
    assert_eq!(winners.len(), 1, "{ends:?}");
    assert!(ends.iter().all(|(status, _)| matches!(status, 200 | 409 | 412)));
    assert_eq!(server.client().get("/bucket/raced").text(), winners[0].1);
}

#[test]
fn cd9_cd10_reads_with_conditions() {
    let server = TestServer::start();
    let mut client = server.client();
    let etag = client.put("/bucket/k", b"v").header("etag").expect("present").to_owned();
    let bare = etag.trim_matches('"').to_owned();
    let with = |name: &str, value: &str| Request::get("/bucket/k").header(name, value);
    for value in [etag.as_str(), bare.as_str(), &format!("W/{etag}"), "*"] {
        assert_eq!(client.call(&with("if-match", value)).status, 200, "{value}");
        let unchanged = client.call(&with("if-none-match", value));
        assert_eq!(unchanged.status, 304, "{value}");
        assert_eq!(unchanged.header("etag"), Some(etag.as_str()));
        assert!(unchanged.header("last-modified").is_some() && unchanged.body.is_empty());
    }
    let old = "Sunday, 06-Nov-94 08:49:37 GMT";
    assert_eq!(client.call(&with("if-modified-since", old)).status, 200);
    assert_eq!(client.call(&with("if-unmodified-since", old)).status, 412);
    assert_eq!(client.call(&with("if-unmodified-since", "not a date")).status, 200, "CD12");
    assert_eq!(client.call(&with("if-match", "\"0\"")).status, 412);
    assert_eq!(client.get("/bucket/k").body, b"v", "the connection is in step");
}

#[test]
fn cd13_a_delete_that_does_not_fit_keeps_the_object() {
    let server = TestServer::start();
    let mut client = server.client();
    let etag = client.put("/bucket/k", b"v").header("etag").expect("present").to_owned();
    let delete = |etag: &str| Request::new("DELETE", "/bucket/k").header("if-match", etag);
    assert_eq!(client.call(&delete("\"00000000000000000000000000000000\"")).status, 412);
    assert_eq!(client.get("/bucket/k").body, b"v");
    assert_eq!(client.call(&delete(&etag)).status, 204);
    assert_eq!(client.head("/bucket/k").status, 404);
}

/// RFC 9110 section 15.4.5: what a 200 would have said to caches.
#[test]
fn a_304_says_how_long_it_is_fresh() {
    let server = TestServer::start();
    let mut client = server.client();
    let put = Request::put("/bucket/k", "v").header("Cache-Control", "max-age=60");
    let put = put.header("Expires", "Sun, 06 Nov 1994 08:49:37 GMT");
    assert_eq!(client.call(&put).status, 200);
    for (target, fresh) in
        [("/bucket/k", "max-age=60"), ("/bucket/k?response-cache-control=no-store", "no-store")]
    {
        let unchanged = client.call(&Request::get(target).header("If-None-Match", "*"));
        assert_eq!((unchanged.status, unchanged.header("cache-control")), (304, Some(fresh)));
        assert_eq!(unchanged.header("expires"), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
    }
}
