//! ListObjectsV2 and ListBuckets.

use crate::server::{Reply, Server};
use openlake_client::{ErrorKind, ListOptions};

#[test]
fn a_page_is_read_and_the_next_one_asked_for() {
    let server = Server::start(|number, _| {
        let rest = if number == 0 {
            "<IsTruncated>true</IsTruncated><NextContinuationToken>t/+=</NextContinuationToken>"
        } else {
            "<IsTruncated>false</IsTruncated>"
        };
        let body = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListBucketResult>\
             <EncodingType>url</EncodingType><Contents><Key>a%01%2B+b</Key><Size>7</Size>\
             <ETag>&quot;e&quot;</ETag><LastModified>2026-01-01T00:00:00.000Z</LastModified>\
             </Contents><CommonPrefixes><Prefix>d%2F</Prefix></CommonPrefixes>{rest}\
             </ListBucketResult>"
        );
        Reply::new(200, "", body.as_bytes())
    });
    let client = server.client();
    let mut options = ListOptions {
        prefix: "a&b".to_owned(),
        delimiter: Some("/".to_owned()),
        max_keys: Some(2),
        ..ListOptions::default()
    };
    let page = client.list_objects("bkt", &options).unwrap();
    assert_eq!(page.objects[0].key, "a\u{1}+ b");
    assert_eq!((page.objects[0].size_bytes, page.objects[0].etag.as_str()), (7, "e"));
    assert_eq!(page.common_prefixes, ["d/"]);
    options.continuation_token = page.next_continuation_token;
    let last = client.list_objects("bkt", &options).unwrap();
    assert_eq!(last.next_continuation_token, None);
    assert_eq!(
        server.received()[1].target,
        "/bkt?continuation-token=t%2F%2B%3D&delimiter=%2F&encoding-type=url&list-type=2&\
         max-keys=2&prefix=a%26b"
    );
}

#[test]
fn a_listing_that_cannot_be_read_is_an_error() {
    let server = Server::start(|_, _| Reply::new(200, "", b"<html>hello</html>"));
    let error = server.client().list_objects("bkt", &ListOptions::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Protocol);
}

#[test]
fn buckets_have_names_and_dates() {
    let server = Server::start(|_, _| {
        let body = b"<ListAllMyBucketsResult><Buckets><Bucket><Name>one</Name>\
                     <CreationDate>2026-01-01T00:00:00.000Z</CreationDate></Bucket></Buckets>\
                     </ListAllMyBucketsResult>";
        Reply::new(200, "", body)
    });
    let buckets = server.client().list_buckets().unwrap();
    assert_eq!(buckets[0].name, "one");
    assert_eq!(server.received()[0].target, "/");
}
