//! What is refused: signatures, access, headers and subresources that are not there.

use crate::client::{ANN, Keys, Request};
use crate::harness::TestServer;

#[test]
fn sec1_only_signed_requests_of_known_keys_are_heard() {
    let server = TestServer::start();
    let mut stranger = server.client_of(Keys { access_key: "AKNOBODY", secret: "x" });
    assert_eq!(stranger.get("/bucket/k").refusal(), (403, "InvalidAccessKeyId".to_owned()));
    let mut liar = server.client_of(Keys { access_key: "AKROOT", secret: "guess" });
    assert_eq!(liar.get("/bucket/k").refusal(), (403, "SignatureDoesNotMatch".to_owned()));
    let mut nobody = server.client();
    nobody.send(b"GET /bucket/k HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(nobody.answer(false).refusal(), (403, "AccessDenied".to_owned()));
}

#[test]
fn a_user_sees_its_own_buckets_and_no_trace_of_others() {
    let server = TestServer::start();
    let mut root = server.client();
    root.put("/bucket/k", b"v");
    let mut ann = server.client_of(ANN);
    assert_eq!(ann.put("/anns-bucket/k", b"mine").status, 200);
    assert_eq!(ann.get("/anns-bucket/k").body, b"mine");
    let denied = (403, "AccessDenied".to_owned());
    for target in
        ["/bucket/k", "/bucket/missing", "/bucket", "/no-such-bucket/k", "/no-such-bucket"]
    {
        assert_eq!(ann.get(target).refusal(), denied, "{target}");
        let conditional = Request::get(target).header("if-none-match", "*");
        assert_eq!(ann.call(&conditional).refusal(), denied, "SEC25 {target}");
    }
    assert_eq!(ann.put("/bucket/k", b"stolen").refusal(), denied);
    assert_eq!(ann.delete("/bucket/k").refusal(), denied);
    assert_eq!(root.get("/bucket/k").body, b"v");
    assert_eq!(root.get("/anns-bucket/k").body, b"mine");
}

#[test]
fn headers_of_what_is_not_there_are_refused_by_name() {
    let server = TestServer::start();
    let mut client = server.client();
    for (name, value) in [
        ("x-amz-server-side-encryption", "AES256"),
        ("x-amz-server-side-encryption-customer-algorithm", "AES256"),
        ("x-amz-acl", "public-read"),
        ("x-amz-grant-full-control", "id=ann"),
        ("x-amz-tagging", "a=b"),
        ("x-amz-object-lock-legal-hold", "ON"),
        ("x-amz-storage-class", "GLACIER"),
        ("x-amz-website-redirect-location", "/x"),
    ] {
        let refused = client.call(&Request::put("/bucket/k", "v").header(name, value));
        assert_eq!(refused.refusal(), (501, "NotImplemented".to_owned()), "{name}");
        assert!(refused.text().contains(name), "{name}");
    }
    assert_eq!(client.head("/bucket/k").status, 404, "nothing was stored");
    let large = Request::put("/bucket/k", "v").header("x-amz-meta-a", &"m".repeat(2048));
    assert_eq!(client.call(&large).refusal(), (400, "MetadataTooLarge".to_owned()));
}

/// Neither operation's members in the service model have these.
#[test]
fn what_a_verb_does_not_have_is_refused_and_nothing_is_done() {
    let server = TestServer::start();
    let mut client = server.client();
    client.put("/bucket/k", b"kept");
    let put = || Request::put("/bucket/k", "v");
    let part = || Request::put("/bucket/k?partNumber=1&uploadId=u", "v");
    let delete = || Request::new("DELETE", "/bucket/k");
    let list = || Request::get("/bucket");
    for (request, name, value, refusal) in [
        (put(), "x-amz-checksum-algorithm", "SHA256", (400, "InvalidRequest")),
        (put(), "x-amz-checksum-algorithm", "foo", (400, "InvalidRequest")),
        (put(), "x-amz-checksum-type", "COMPOSITE", (501, "NotImplemented")),
        (put(), "x-amz-checksum-mode", "ENABLED", (501, "NotImplemented")),
        (part(), "x-amz-checksum-algorithm", "SHA256", (400, "InvalidRequest")),
        (part(), "x-amz-checksum-type", "nonsense", (501, "NotImplemented")),
        (part(), "x-amz-checksum-mode", "nonsense", (501, "NotImplemented")),
        (part(), "If-Match", "*", (501, "NotImplemented")),
        (part(), "If-None-Match", "*", (501, "NotImplemented")),
        (delete(), "If-None-Match", "*", (501, "NotImplemented")),
        (list(), "If-None-Match", "*", (501, "NotImplemented")),
        (put(), "Content-Range", "bytes 0-0/4", (400, "InvalidRequest")),
        (part(), "Content-Range", "bytes 0-0/4", (400, "InvalidRequest")),
        (put(), "x-amz-decoded-content-length", "2", (400, "InvalidRequest")),
        (put(), "x-amz-request-payer", "nonsense", (400, "InvalidArgument")),
        (part(), "x-amz-request-payer", "nonsense", (400, "InvalidArgument")),
        (delete(), "x-amz-request-payer", "nonsense", (400, "InvalidArgument")),
        (list(), "x-amz-request-payer", "nonsense", (400, "InvalidArgument")),
    ] {
        let method = request.method.clone();
        let answer = client.call(&request.header(name, value));
        assert_eq!(answer.refusal(), (refusal.0, refusal.1.to_owned()), "{method} {name}");
        assert!(refusal.0 == 400 || answer.text().contains(&name.to_lowercase()), "{name}");
    }
    assert_eq!(client.get("/bucket/k").body, b"kept");
}

/// RFC 9110 sections 15.5.6 and 15.5.17, and the elements of AWS's error documents.
#[test]
fn a_refusal_says_what_there_is_and_what_there_is_not() {
    let server = TestServer::start();
    let mut client = server.client();
    client.put("/bucket/k", b"0123456789");
    let beyond = client.call(&Request::get("/bucket/k").header("Range", "bytes=10-"));
    assert_eq!((beyond.status, beyond.header("content-range")), (416, Some("bytes */10")));
    assert!(client.get("/bucket/none").text().contains("<Key>none</Key>"));
    let nowhere = "<BucketName>no-such-bucket</BucketName>";
    assert!(client.get("/no-such-bucket/k").text().contains(nowhere));
    assert!(client.put("/no-such-bucket/k", b"v").text().contains(nowhere));
    let mut client = server.client();
    let brewed = client.call(&Request::new("BREW", "/bucket/k"));
    assert_eq!(brewed.header("allow"), Some("DELETE, GET, HEAD, POST, PUT"));
}

/// RFC 9110 section 14.2: of no meaning but to GET, and ignored with others.
#[test]
fn a_range_means_nothing_to_a_put() {
    let server = TestServer::start();
    let mut client = server.client();
    let ranged = Request::put("/bucket/k", "whole").header("Range", "bytes=0-0");
    assert_eq!(client.call(&ranged.header("If-Range", "\"e\"")).status, 200);
    assert_eq!(client.get("/bucket/k").body, b"whole");
}

#[test]
fn xm10_what_is_no_hot_verb_goes_to_the_control_plane() {
    let server = TestServer::start();
    let mut client = server.client();
    client.put("/bucket/k", b"v");
    for (method, target) in [
        ("GET", "/"),
        ("GET", "/bucket?versioning"),
        ("GET", "/bucket/k?acl"),
        ("PUT", "/bucket/k?tagging"),
        ("DELETE", "/bucket/k?tagging"),
        ("PUT", "/another-bucket"),
    ] {
        let echoed = client.call(&Request::new(method, target));
        let title: String = method[..1].to_owned() + &method[1..].to_lowercase();
        assert_eq!((echoed.status, echoed.text()), (200, format!("{title} {target} 0")));
    }
    let posted = Request { body: vec![b'x'; 100_000], ..Request::new("POST", "/bucket?delete") };
    assert_eq!(client.call(&posted).text(), "Post /bucket?delete 100000");
    let large = Request { body: vec![0; (2 << 20) + 1], ..Request::new("POST", "/bucket?delete") };
    assert_eq!(client.call(&large).refusal().0, 400, "SEC30");
    let mut client = server.client();
    assert_eq!(client.get("/bucket/k").body, b"v");
    assert_eq!(client.call(&Request::new("BREW", "/bucket/k")).refusal().0, 405, "XM11");
    let odd = client.get("/bucket/k?versionId=7");
    assert_eq!(odd.refusal(), (501, "NotImplemented".to_owned()));
}
