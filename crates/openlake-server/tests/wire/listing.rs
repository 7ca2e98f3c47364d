//! LS: both versions of ListObjects, page by page.

use crate::client::{Answer, Client};
use crate::harness::TestServer;

const KEYS: &[&str] = &["a", "a/b", "dir", "dir/", "dir/x", "dir/y/z", "dir2", "x%20y", "zz"];

fn filled(server: &TestServer) -> Client {
    let mut client = server.client();
    for key in KEYS {
        assert_eq!(client.put(&format!("/bucket/{key}"), b"v").status, 200, "{key}");
    }
    client
}

fn keys(answer: &Answer) -> Vec<String> {
    answer.elements("Contents").iter().map(|line| inner(line, "Key")).collect()
}

fn prefixes(answer: &Answer) -> Vec<String> {
    answer.elements("CommonPrefixes").iter().map(|line| inner(line, "Prefix")).collect()
}

fn inner(text: &str, name: &str) -> String {
    let rest = text.split(&format!("<{name}>")).nth(1).expect(name);
    rest.split("</").next().expect("closed").to_owned()
}

#[test]
fn ls3_a_walk_by_twos_finds_every_key_once() {
    let server = TestServer::start();
    let mut client = filled(&server);
    let expected: Vec<String> = KEYS.iter().map(|key| key.replace("%20", " ")).collect();
    let (mut v1, mut v2, mut marker, mut token) =
        (Vec::new(), Vec::new(), String::new(), String::new());
    loop {
        let page = client.get(&format!(
            "/bucket?marker={}&max-keys=2",
            marker.replace('/', "%2F").replace(' ', "%20")
        ));
        assert_eq!(page.status, 200, "{}", page.text());
        v1.extend(keys(&page));
        marker.clone_from(v1.last().expect("never an empty page"));
        if page.element("IsTruncated").as_deref() == Some("false") {
            break;
        }
    }
    loop {
        let page =
            client.get(&format!("/bucket?continuation-token={token}&list-type=2&max-keys=2"));
        assert_eq!(page.status, 200, "{}", page.text());
        let found = keys(&page);
        assert_eq!(page.element("KeyCount"), Some(found.len().to_string()), "LS21");
        v2.extend(found);
        match page.element("NextContinuationToken") {
            Some(next) => token = next,
            None => break,
        }
    }
    assert_eq!(v1, expected);
    assert_eq!(v2, expected);
}

#[test]
fn ls2_each_common_prefix_comes_once_over_all_pages() {
    let server = TestServer::start();
    let mut client = filled(&server);
    for version in ["", "list-type=2&"] {
        let (mut seen, mut next) = (Vec::new(), String::new());
        loop {
            let page = client.get(&format!("/bucket?delimiter=%2F&{version}max-keys=1{next}"));
            assert_eq!(page.status, 200, "{}", page.text());
            seen.extend(keys(&page));
            seen.extend(prefixes(&page));
            next = match (page.element("NextMarker"), page.element("NextContinuationToken")) {
                (Some(marker), _) => {
                    format!("&marker={}", marker.replace('/', "%2F").replace(' ', "%20"))
                }
                (_, Some(token)) => format!("&continuation-token={token}"),
                _ => break,
            };
        }
        assert_eq!(seen, ["a", "a/", "dir", "dir/", "dir2", "x y", "zz"], "{version}");
    }
}

#[test]
fn ls4_ls5_max_keys_is_taken_refused_or_capped() {
    let server = TestServer::start();
    let mut client = filled(&server);
    let none = client.get("/bucket?list-type=2&max-keys=0");
    assert_eq!((keys(&none).len(), none.element("IsTruncated").as_deref()), (0, Some("false")));
    let all = client.get("/bucket?list-type=2&max-keys=5000");
    assert_eq!((keys(&all).len(), all.element("MaxKeys").as_deref()), (KEYS.len(), Some("1000")));
    for bad in ["-1", "x", "2147483648"] {
        let refused = client.get(&format!("/bucket?list-type=2&max-keys={bad}"));
        assert_eq!(refused.refusal(), (400, "InvalidArgument".to_owned()), "{bad}");
    }
    assert_eq!(client.get("/no-such-bucket?max-keys=0").refusal().1, "NoSuchBucket");
}

#[test]
fn ls7_ls11_prefixes_and_starting_points() {
    let server = TestServer::start();
    let mut client = filled(&server);
    let after = client.get("/bucket?list-type=2&prefix=dir&start-after=dir%2Faaa");
    assert_eq!(keys(&after), ["dir/x", "dir/y/z", "dir2"]);
    assert_eq!(after.element("StartAfter").as_deref(), Some("dir/aaa"));
    let level = client.get("/bucket?delimiter=%2F&list-type=2&prefix=dir");
    assert_eq!(
        (keys(&level), prefixes(&level)),
        (vec!["dir".into(), "dir2".into()], vec!["dir/".into()])
    );
    let below = client.get("/bucket?delimiter=%2F&list-type=2&prefix=dir%2F");
    assert_eq!(
        (keys(&below), prefixes(&below)),
        (vec!["dir/".into(), "dir/x".into()], vec!["dir/y/".into()])
    );
}

#[test]
fn ls19_keys_that_xml_cannot_carry_survive_url_encoding() {
    let server = TestServer::start();
    let mut client = server.client();
    for key in ["a%01b", "c%0Dd", "e%2Bf", "%C3%A9"] {
        assert_eq!(client.put(&format!("/bucket/{key}"), b"v").status, 200, "{key}");
    }
    let encoded = client.get("/bucket?encoding-type=url&list-type=2");
    assert_eq!(keys(&encoded), ["a%01b", "c%0Dd", "e%2Bf", "%C3%A9"]);
    let plain = client.get("/bucket?list-type=2");
    assert_eq!(keys(&plain), ["a&#1;b", "c&#13;d", "e+f", "é"]);
    let refused = client.get("/bucket?encoding-type=base64&list-type=2");
    assert_eq!(refused.refusal(), (400, "InvalidArgument".to_owned()));
}

#[test]
fn ls20_ls22_owners_and_tokens() {
    let server = TestServer::start();
    let mut client = filled(&server);
    assert!(client.get("/bucket?list-type=2").element("Owner").is_none());
    assert!(
        client.get("/bucket?fetch-owner=true&list-type=2").text().contains("<Owner><ID>root</ID>")
    );
    assert!(client.get("/bucket").text().contains("<Owner><ID>root</ID>"));
    let forged = client.get("/bucket?continuation-token=Zm9yZ2Vk&list-type=2");
    assert_eq!(forged.refusal(), (400, "InvalidArgument".to_owned()));
    let empty = client.get("/bucket?continuation-token=&list-type=2");
    assert_eq!(keys(&empty).len(), KEYS.len());
    assert_eq!(empty.header("x-amz-bucket-region"), Some("us-east-1"), "HD13");
}

#[test]
fn ls16_a_listing_shows_what_was_just_done() {
    let server = TestServer::start();
    let (mut writer, mut reader) = (server.client(), server.client());
    for round in 0..20 {
        let target = format!("/bucket/round/{round:02}");
        writer.put(&target, b"v");
        let page = reader.get("/bucket?list-type=2&prefix=round%2F");
        assert_eq!(keys(&page), [format!("round/{round:02}")]);
        writer.delete(&target);
        assert_eq!(keys(&reader.get("/bucket?list-type=2&prefix=round%2F")), Vec::<String>::new());
    }
}
