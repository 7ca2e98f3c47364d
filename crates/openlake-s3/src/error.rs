//! Every S3 error that the server answers: code, HTTP status, message, and its XML document.
//! An error knows no secrets: documents carry the path of the request, never its query.

use std::borrow::Cow;
use std::fmt;

use crate::request_head::Method;

macro_rules! error_table {
    ($($variant:ident = $code:literal, $status:literal, $message:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum S3ErrorCode { $($variant),* }

        impl S3ErrorCode {
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// As it stands in `<Code>`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $code),* }
            }

            pub const fn status(self) -> u16 {
                match self { $(Self::$variant => $status),* }
            }

            pub const fn message(self) -> &'static str {
                match self { $(Self::$variant => $message),* }
            }
        }
    };
}

error_table! {
    AccessControlListNotSupported = "AccessControlListNotSupported", 400,
        "The bucket does not allow ACLs";
    AccessDenied = "AccessDenied", 403, "Access Denied";
    AnnotationLimitExceeded = "AnnotationLimitExceeded", 400, "Too many annotations";
    AnnotationNameTooLong = "AnnotationNameTooLong", 400, "The annotation name is too long";
    AuthorizationHeaderMalformed = "AuthorizationHeaderMalformed", 400,
        "The authorization header is malformed";
    AuthorizationQueryParametersError = "AuthorizationQueryParametersError", 400,
        "The authorization query parameters are malformed";
    BadDigest = "BadDigest", 400,
        "The Content-MD5 or checksum value did not match what was received";
    BadRequest = "BadRequest", 400, "The request is not well-formed HTTP";
    BucketAlreadyExists = "BucketAlreadyExists", 409, "The requested bucket name is not available";
    BucketAlreadyOwnedByYou = "BucketAlreadyOwnedByYou", 409, "You already own this bucket";
    BucketNotEmpty = "BucketNotEmpty", 409, "The bucket you tried to delete is not empty";
    ConditionalRequestConflict = "ConditionalRequestConflict", 409,
        "A conflicting operation ran during the conditional request";
    CredentialsNotSupported = "CredentialsNotSupported", 400,
        "This request does not support credentials";
    EncryptionTypeMismatch = "EncryptionTypeMismatch", 400, "The encryption type does not match";
    EntityTooLarge = "EntityTooLarge", 400, "The proposed upload exceeds the maximum allowed size";
    EntityTooSmall = "EntityTooSmall", 400,
        "The proposed upload is smaller than the minimum allowed size";
    ExpiredToken = "ExpiredToken", 400, "The provided token has expired";
    IdempotencyParameterMismatch = "IdempotencyParameterMismatch", 400,
        "The idempotency token was used with other parameters";
    IllegalLocationConstraintException = "IllegalLocationConstraintException", 400,
        "The location constraint is incompatible with this endpoint";
    IllegalVersioningConfigurationException = "IllegalVersioningConfigurationException", 400,
        "The versioning configuration is not valid";
    IncompleteBody = "IncompleteBody", 400, "The body is shorter than Content-Length";
    InsufficientStorage = "InsufficientStorage", 507,
        "There is not enough free space to store the data";
    InternalError = "InternalError", 500, "An internal error occurred. Try again";
    InvalidAccessKeyId = "InvalidAccessKeyId", 403, "The access key does not exist";
    InvalidAnnotationName = "InvalidAnnotationName", 400, "The annotation name is not valid";
    InvalidArgument = "InvalidArgument", 400, "Invalid argument";
    InvalidBucketName = "InvalidBucketName", 400, "The specified bucket is not valid";
    InvalidBucketState = "InvalidBucketState", 409,
        "The request is not valid for the current state of the bucket";
    InvalidChunkSizeError = "InvalidChunkSizeError", 403,
        "Only the last chunk is allowed to have a size less than 8192 bytes";
    InvalidDigest = "InvalidDigest", 400, "The Content-MD5 or checksum value is not valid";
    InvalidEncryptionAlgorithmError = "InvalidEncryptionAlgorithmError", 400,
        "The encryption algorithm is not valid";
    InvalidLocationConstraint = "InvalidLocationConstraint", 400,
        "The location constraint is not valid";
    InvalidObjectState = "InvalidObjectState", 403,
        "The operation is not valid for the current state of the object";
    InvalidPart = "InvalidPart", 400,
        "One or more of the specified parts could not be found or did not match";
    InvalidPartNumber = "InvalidPartNumber", 416, "The requested part number is not satisfiable";
    InvalidPartOrder = "InvalidPartOrder", 400, "The list of parts was not in ascending order";
    InvalidPolicyDocument = "InvalidPolicyDocument", 400,
        "The content of the form does not meet the conditions of the policy";
    InvalidPrefix = "InvalidPrefix", 400, "The prefix is not valid";
    InvalidRange = "InvalidRange", 416, "The requested range is not satisfiable";
    InvalidRequest = "InvalidRequest", 400, "Invalid request";
    InvalidSecurity = "InvalidSecurity", 403, "The provided security credentials are not valid";
    InvalidStorageClass = "InvalidStorageClass", 400, "The storage class is not valid";
    InvalidTag = "InvalidTag", 400, "The tag is not valid";
    InvalidTargetBucketForLogging = "InvalidTargetBucketForLogging", 400,
        "The target bucket for logging does not exist or is not yours";
    InvalidToken = "InvalidToken", 400, "The provided token is malformed or otherwise not valid";
    InvalidURI = "InvalidURI", 400, "Could not parse the specified URI";
    InvalidWriteOffset = "InvalidWriteOffset", 400,
        "The write offset does not match the size of the object";
    KeyTooLongError = "KeyTooLongError", 400, "The key is too long";
    KmsNotFoundException = "KMS.NotFoundException", 400, "The key was not found";
    MalformedACLError = "MalformedACLError", 400, "The ACL is not well formed or did not validate";
    MalformedPolicy = "MalformedPolicy", 400, "The policy is not well formed";
    MalformedPOSTRequest = "MalformedPOSTRequest", 400,
        "The body of the POST request is not well formed multipart/form-data";
    MalformedTrailerError = "MalformedTrailerError", 400,
        "The request contained trailing data that was not well-formed";
    MalformedXML = "MalformedXML", 400,
        "The XML is not well formed or did not validate against the schema";
    MaxMessageLengthExceeded = "MaxMessageLengthExceeded", 400, "The request was too big";
    MetadataTooLarge = "MetadataTooLarge", 400,
        "The metadata headers exceed the maximum allowed size";
    MethodNotAllowed = "MethodNotAllowed", 405, "The method is not allowed against this resource";
    MissingContentLength = "MissingContentLength", 411, "The Content-Length header is required";
    MissingRequestBodyError = "MissingRequestBodyError", 400, "The request body is empty";
    MissingSecurityHeader = "MissingSecurityHeader", 400,
        "The request is missing a required header";
    NoSuchAnnotation = "NoSuchAnnotation", 404, "The annotation does not exist";
    NoSuchBucket = "NoSuchBucket", 404, "The specified bucket does not exist";
    NoSuchBucketPolicy = "NoSuchBucketPolicy", 404, "The bucket policy does not exist";
    NoSuchConfiguration = "NoSuchConfiguration", 404, "The specified configuration does not exist";
    NoSuchCORSConfiguration = "NoSuchCORSConfiguration", 404,
        "The CORS configuration does not exist";
    NoSuchKey = "NoSuchKey", 404, "The specified key does not exist";
    NoSuchLifecycleConfiguration = "NoSuchLifecycleConfiguration", 404,
        "The lifecycle configuration does not exist";
    NoSuchObjectLockConfiguration = "NoSuchObjectLockConfiguration", 404,
        "The object has no lock configuration";
    NoSuchPublicAccessBlockConfiguration = "NoSuchPublicAccessBlockConfiguration", 404,
        "The public access block configuration was not found";
    NoSuchTagSet = "NoSuchTagSet", 404, "There is no tag set associated with the bucket";
    NoSuchUpload = "NoSuchUpload", 404, "The specified multipart upload does not exist";
    NoSuchVersion = "NoSuchVersion", 404, "The version does not exist";
    NoSuchWebsiteConfiguration = "NoSuchWebsiteConfiguration", 404,
        "The website configuration does not exist";
    NotImplemented = "NotImplemented", 501,
        "A header or query you provided implies functionality that is not implemented";
    NotModified = "NotModified", 304, "Not Modified";
    ObjectAlreadyInActiveTierError = "ObjectAlreadyInActiveTierError", 403,
        "The object is already in an active tier";
    ObjectLockConfigurationNotFoundError = "ObjectLockConfigurationNotFoundError", 404,
        "Object Lock configuration does not exist for this bucket";
    ObjectNotInActiveTierError = "ObjectNotInActiveTierError", 403,
        "The source object is not in an active tier";
    OperationAborted = "OperationAborted", 409,
        "A conflicting conditional operation is in progress against this resource";
    OwnershipControlsNotFoundError = "OwnershipControlsNotFoundError", 404,
        "The bucket ownership controls were not found";
    PermanentRedirect = "PermanentRedirect", 301,
        "The bucket must be addressed using another endpoint";
    PreconditionFailed = "PreconditionFailed", 412,
        "At least one of the preconditions did not hold";
    QuotaExceeded = "QuotaExceeded", 403, "The quota does not allow more data";
    ReplicationConfigurationNotFoundError = "ReplicationConfigurationNotFoundError", 404,
        "The replication configuration was not found";
    RequestHeaderSectionTooLarge = "RequestHeaderSectionTooLarge", 400,
        "The request headers exceed the maximum allowed size";
    RequestTimeout = "RequestTimeout", 400,
        "The socket was not read from or written to within the timeout period";
    RequestTimeTooSkewed = "RequestTimeTooSkewed", 403,
        "The request time and the server's time differ too much";
    ServerSideEncryptionConfigurationNotFoundError = "ServerSideEncryptionConfigurationNotFoundError", 404,
        "The encryption configuration was not found";
    ServiceUnavailable = "ServiceUnavailable", 503, "Service is unable to handle the request";
    SignatureDoesNotMatch = "SignatureDoesNotMatch", 403,
        "The request signature does not match the signature you provided";
    SlowDown = "SlowDown", 503, "Reduce your request rate";
    TemporaryRedirect = "TemporaryRedirect", 307, "The bucket is being moved";
    TooManyBuckets = "TooManyBuckets", 400,
        "You have attempted to create more buckets than allowed";
    TooManyParts = "TooManyParts", 400, "The object has too many parts";
    UnauthorizedAccess = "UnauthorizedAccess", 403, "Access is not authorized";
    UnexpectedContent = "UnexpectedContent", 400, "This request does not support content";
    UnresolvableGrantByEmailAddress = "UnresolvableGrantByEmailAddress", 400,
        "The email address does not match any account";
    UnsupportedMediaType = "UnsupportedMediaType", 415, "The media type is not supported";
    XAmzContentChecksumMismatch = "XAmzContentChecksumMismatch", 400,
        "The provided checksum did not match what was computed";
    XAmzContentSHA256Mismatch = "XAmzContentSHA256Mismatch", 400,
        "The provided x-amz-content-sha256 header did not match what was computed";
}

impl S3ErrorCode {
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }
}

/// A refusal on its way to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct S3Error {
    pub code: S3ErrorCode,
    message: Option<Cow<'static, str>>,
    /// Further elements of the document, in order, as AWS adds them.
    fields: Vec<(&'static str, String)>,
}

impl S3Error {
    pub const fn new(code: S3ErrorCode) -> Self {
        Self { code, message: None, fields: Vec::new() }
    }

    pub fn with_message(code: S3ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: Some(message.into()), fields: Vec::new() }
    }

    #[must_use]
    pub fn field(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.fields.push((name, value.into()));
        self
    }

    pub fn message(&self) -> &str {
        self.message.as_deref().unwrap_or(self.code.message())
    }

    pub const fn status(&self) -> u16 {
        self.code.status()
    }

    /// What goes to the client; the same `request_id` belongs in the `x-amz-request-id` header.
    pub fn answer(&self, method: Method, target: &[u8], request_id: &str) -> ErrorAnswer {
        let (status, headers) = (self.status(), self.headers(target));
        if method == Method::Head || status == 304 {
            return ErrorAnswer { status, content_type: None, headers, body: Vec::new() };
        }
        let body = self.document(target, request_id).into_bytes();
        ErrorAnswer { status, content_type: Some("application/xml"), headers, body }
    }

    /// What RFC 9110 wants beside a status (sections 15.5.6 and 15.5.17).
    fn headers(&self, target: &[u8]) -> Vec<(&'static str, String)> {
        match self.code {
            S3ErrorCode::MethodNotAllowed => vec![("Allow", allowed_methods(target).to_owned())],
            S3ErrorCode::InvalidRange => self
                .get("ActualObjectSize")
                .map(|size| ("Content-Range", format!("bytes */{size}")))
                .into_iter()
                .collect(),
            _ => Vec::new(),
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        let field = self.fields.iter().find(|(own, _)| *own == name);
        field.map(|(_, value)| value.as_str())
    }

    /// Names the bucket or the key that is not there, as AWS does.
    #[must_use]
    pub(crate) fn about(self, bucket: &str, key: Option<&str>) -> Self {
        let (name, value) = match (self.code, key) {
            (S3ErrorCode::NoSuchBucket, _) => ("BucketName", bucket),
            (S3ErrorCode::NoSuchKey, Some(key)) => ("Key", key),
            _ => return self,
        };
        if self.get(name).is_some() { self } else { self.field(name, value) }
    }

    fn document(&self, target: &[u8], request_id: &str) -> String {
        let path = target.split(|&byte| byte == b'?').next().unwrap_or_default();
        let resource = String::from_utf8_lossy(path);
        let mut xml = String::with_capacity(256);
        xml.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error>");
        push_element(&mut xml, "Code", self.code.name());
        push_element(&mut xml, "Message", self.message());
        for (name, value) in &self.fields {
            push_element(&mut xml, name, value);
        }
        push_element(&mut xml, "Resource", &resource);
        push_element(&mut xml, "RequestId", request_id);
        xml.push_str("</Error>");
        xml
    }
}

impl From<S3ErrorCode> for S3Error {
    fn from(code: S3ErrorCode) -> Self {
        Self::new(code)
    }
}

impl fmt::Display for S3Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.name(), self.message())
    }
}

impl std::error::Error for S3Error {}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorAnswer {
    pub status: u16,
    /// `None` when there is no body: answers to HEAD, and 304.
    pub content_type: Option<&'static str>,
    /// Further headers that belong to the status.
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

/// Of the service, or of a bucket or an object with all its subresources.
fn allowed_methods(target: &[u8]) -> &'static str {
    match target.split(|&byte| byte == b'?').next() {
        Some(b"/") => "GET",
        _ => "DELETE, GET, HEAD, POST, PUT",
    }
}

fn push_element(xml: &mut String, name: &str, text: &str) {
    xml.push('<');
    xml.push_str(name);
    xml.push('>');
    for character in text.chars() {
        match character {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\r' => xml.push_str("&#13;"),
            '\t' | '\n' => xml.push(character),
            // XML 1.0 has no way to write these, not even as a reference.
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => xml.push('\u{fffd}'),
            _ => xml.push(character),
        }
    }
    xml.push_str("</");
    xml.push_str(name);
    xml.push('>');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        for &code in S3ErrorCode::ALL {
            assert_eq!(S3ErrorCode::from_name(code.name()), Some(code));
            assert!((300..600).contains(&code.status()));
            assert_ne!(code.message(), "");
        }
    }

    #[test]
    fn the_document_carries_the_fields_and_hides_the_query() {
        let error = S3Error::with_message(S3ErrorCode::InvalidArgument, "a<b & \u{1}")
            .field("ArgumentName", "max-keys");
        let answer = error.answer(Method::Get, b"/b/k%20?X-Amz-Signature=5ec3e7", "ID1");
        assert_eq!((answer.status, answer.content_type), (400, Some("application/xml")));
        assert_eq!(
            String::from_utf8(answer.body).expect("UTF-8"),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>InvalidArgument</Code>\
             <Message>a&lt;b &amp; \u{fffd}</Message><ArgumentName>max-keys</ArgumentName>\
             <Resource>/b/k%20</Resource><RequestId>ID1</RequestId></Error>"
        );
    }

    #[test]
    fn hd2_head_and_304_have_no_body() {
        let missing = S3Error::new(S3ErrorCode::NoSuchKey);
        let answer = missing.answer(Method::Head, b"/b/k", "ID");
        let (headers, body) = (Vec::new(), Vec::new());
        assert_eq!(answer, ErrorAnswer { status: 404, content_type: None, headers, body });
        let unchanged = S3Error::new(S3ErrorCode::NotModified);
        assert_eq!(unchanged.answer(Method::Get, b"/b/k", "ID").body, [] as [u8; 0]);
    }

    #[test]
    fn statuses_carry_the_headers_that_rfc_9110_wants() {
        let range = S3Error::new(S3ErrorCode::InvalidRange).field("ActualObjectSize", "10");
        let method = S3Error::new(S3ErrorCode::MethodNotAllowed);
        for (error, target, header) in [
            (&range, "/b/k", ("Content-Range", "bytes */10")),
            (&method, "/?x", ("Allow", "GET")),
            (&method, "/b/k", ("Allow", "DELETE, GET, HEAD, POST, PUT")),
        ] {
            for verb in [Method::Get, Method::Head] {
                let answer = error.answer(verb, target.as_bytes(), "ID");
                assert_eq!(answer.headers, [(header.0, header.1.to_owned())], "{target}");
            }
        }
    }

    #[test]
    fn cn7_out_of_space_is_507_with_a_document() {
        let answer = S3Error::new(S3ErrorCode::InsufficientStorage).answer(Method::Put, b"/", "I");
        assert_eq!(answer.status, 507);
        assert!(answer.body.starts_with(b"<?xml"));
    }
}
