//! KY: keys are opaque bytes: what is put under a name is found under it, and nothing else is.

use crate::harness::TestServer;

fn encoded(key: &str) -> String {
    openlake_s3::xml::url_encoded(key).replace('*', "%2A")
}

#[test]
fn keys_are_distinct_and_never_resolved() {
    let keys = [
        "a",
        "a/",
        "/a",
        "//a",
        "a//b",
        "a/./b",
        "a/../b",
        "..",
        ".",
        "../a",
        "%",
        "%25",
        "%2F",
        "a%2Fb",
        "a b",
        " a",
        "a ",
        "a  b",
        "a+b",
        "a?b",
        "a#b",
        "a&b=c",
        "é",
        "e\u{301}",
        "日本語/文件",
        "\u{1f600}",
        "a\\b",
        "tab\t",
        "line\n",
        "~a*b'c(d)",
        "A",
    ];
    let server = TestServer::start();
    let mut client = server.client();
    for key in keys {
        let put = client.put(&format!("/bucket/{}", encoded(key)), key.as_bytes());
        assert_eq!(put.status, 200, "{key:?}");
    }
    for key in keys {
        let got = client.get(&format!("/bucket/{}", encoded(key)));
        assert_eq!((got.status, got.text()), (200, key.to_owned()), "{key:?}");
    }
    let listed = client.get("/bucket?encoding-type=url&list-type=2").elements("Key").len();
    assert_eq!(listed, keys.len());
}

#[test]
fn ky2_an_escaped_slash_is_a_slash() {
    let server = TestServer::start();
    let mut client = server.client();
    client.put("/bucket/a/b", b"v");
    // The canonical request has the decoded slash, so the signature is made over that.
    let signed = client.signed_head(&crate::client::Request::get("/bucket/a/b"));
    let escaped =
        String::from_utf8(signed).expect("text").replace("/bucket/a/b", "/bucket%2Fa%2Fb");
    client.send(escaped.as_bytes());
    assert_eq!(client.answer(false).body, b"v");
}

#[test]
fn ky6_ky11_long_keys_and_directories() {
    let server = TestServer::start();
    let mut client = server.client();
    assert_eq!(client.put(&format!("/bucket/{}", "k".repeat(1024)), b"v").status, 200);
    let long = client.put(&format!("/bucket/{}", "k".repeat(1025)), b"v");
    assert_eq!(long.refusal(), (400, "KeyTooLongError".to_owned()));
    client.put("/bucket/dir/child", b"v");
    assert_eq!(client.head("/bucket/dir/").status, 404, "KY11");
    client.put("/bucket/dir/", b"");
    assert_eq!(client.delete("/bucket/dir/").status, 204);
    assert_eq!(client.get("/bucket/dir/child").body, b"v", "KY9");
}
