//! CreateBucket, DeleteBucket, HeadBucket, ListBuckets.

use crate::call::Sink;
use crate::client::Client;
use crate::error::ClientError;
use crate::request::Request;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    pub name: String,
    /// As the server writes it (ISO 8601).
    pub creation_date: String,
}

impl Client {
    pub fn create_bucket(&self, bucket: &str) -> Result<(), ClientError> {
        let region = &self.config().region;
        let body = format!(
            "<CreateBucketConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
             <LocationConstraint>{region}</LocationConstraint></CreateBucketConfiguration>"
        );
        // S3 wants no constraint for its first region.
        let body = if region == "us-east-1" { "" } else { &body };
        let request = Request::new("PUT", bucket, "").body(body.as_bytes());
        self.call(&request, Sink::Text).map(drop)
    }

    pub fn delete_bucket(&self, bucket: &str) -> Result<(), ClientError> {
        self.call(&Request::new("DELETE", bucket, ""), Sink::Text).map(drop)
    }

    /// Whether the bucket is there; an error if it may not be known.
    pub fn head_bucket(&self, bucket: &str) -> Result<bool, ClientError> {
        match self.call(&Request::new("HEAD", bucket, ""), Sink::Text) {
            Ok(_) => Ok(true),
            Err(error) if error.status == Some(404) => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub fn list_buckets(&self) -> Result<Vec<Bucket>, ClientError> {
        let answer = self.call(&Request::new("GET", "", ""), Sink::Text)?;
        let root = answer.document("ListAllMyBucketsResult")?;
        let Some(buckets) = root.child("Buckets") else { return Ok(Vec::new()) };
        let bucket = |entry: &crate::xml::Element| Bucket {
            name: entry.text_of("Name").to_owned(),
            creation_date: entry.text_of("CreationDate").to_owned(),
        };
        Ok(buckets.all("Bucket").map(bucket).collect())
    }
}
