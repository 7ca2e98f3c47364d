//! ListObjectsV2, a page at a time.

use crate::call::Sink;
use crate::client::Client;
use crate::error::{ClientError, ErrorKind};
use crate::ops::object::unquoted;
use crate::request::Request;
use crate::uri;
use crate::xml::Element;

#[derive(Clone, Debug, Default)]
pub struct ListOptions {
    pub prefix: String,
    pub delimiter: Option<String>,
    /// Only keys after this one.
    pub start_after: Option<String>,
    /// From the page before.
    pub continuation_token: Option<String>,
    pub max_keys: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedObject {
    pub key: String,
    pub size_bytes: u64,
    /// Without quotes.
    pub etag: String,
    /// As the server writes it (ISO 8601).
    pub last_modified: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListPage {
    pub objects: Vec<ListedObject>,
    pub common_prefixes: Vec<String>,
    /// There is a next page, which this token asks for.
    pub next_continuation_token: Option<String>,
}

impl Client {
    pub fn list_objects(
        &self,
        bucket: &str,
        options: &ListOptions,
    ) -> Result<ListPage, ClientError> {
        let mut request = Request::new("GET", bucket, "")
            .query("list-type", "2")
            // Keys may hold what XML cannot.
            .query("encoding-type", "url")
            .query("prefix", options.prefix.as_str());
        if let Some(delimiter) = &options.delimiter {
            request = request.query("delimiter", delimiter);
        }
        if let Some(key) = &options.start_after {
            request = request.query("start-after", key);
        }
        if let Some(token) = &options.continuation_token {
            request = request.query("continuation-token", token);
        }
        if let Some(max_keys) = options.max_keys {
            request = request.query("max-keys", max_keys.to_string());
        }
        let answer = self.call(&request, Sink::Text)?;
        answer
            .document("ListBucketResult")
            .and_then(|root| page_of(&root))
            .map_err(|error| error.at(bucket, ""))
    }
}

fn page_of(root: &Element) -> Result<ListPage, ClientError> {
    let broken = || ClientError::new(ErrorKind::Protocol, "the listing cannot be read");
    let encoded = root.text_of("EncodingType") == "url";
    let name = |text: &str| {
        if encoded { uri::decode(text).ok_or_else(broken) } else { Ok(text.to_owned()) }
    };
    let mut page = ListPage::default();
    for entry in root.all("Contents") {
        page.objects.push(ListedObject {
            key: name(entry.text_of("Key"))?,
            size_bytes: entry.text_of("Size").parse().map_err(|_| broken())?,
            etag: unquoted(entry.text_of("ETag")).to_owned(),
            last_modified: entry.text_of("LastModified").to_owned(),
        });
    }
    for entry in root.all("CommonPrefixes") {
        page.common_prefixes.push(name(entry.text_of("Prefix"))?);
    }
    if root.text_of("IsTruncated") == "true" {
        let token = root.text_of("NextContinuationToken");
        if token.is_empty() {
            return Err(broken());
        }
        page.next_continuation_token = Some(token.to_owned());
    }
    Ok(page)
}
