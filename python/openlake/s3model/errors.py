"""Every S3 error the server may answer: one table, one exception, one rendering."""

from __future__ import annotations

from openlake.s3model.text import escape

# code -> (HTTP status, default message)
TABLE: dict[str, tuple[int, str]] = {
    "AccessDenied": (403, "Access Denied"),
    "AccessControlListNotSupported": (400, "The bucket does not allow ACLs"),
    "AnnotationLimitExceeded": (400, "Too many annotations"),
    "AnnotationNameTooLong": (400, "The annotation name is too long"),
    "AuthorizationHeaderMalformed": (400, "The authorization header is malformed"),
    "AuthorizationQueryParametersError": (400, "The authorization query parameters are malformed"),
    "BadDigest": (400, "The Content-MD5 or checksum value did not match what was received"),
    "BadRequest": (400, "The request is not well-formed HTTP"),
    "BucketAlreadyExists": (409, "The requested bucket name is not available"),
    "BucketAlreadyOwnedByYou": (409, "You already own this bucket"),
    "BucketNotEmpty": (409, "The bucket you tried to delete is not empty"),
    "ConditionalRequestConflict": (
        409,
        "A conflicting operation ran during the conditional request",
    ),
    "CredentialsNotSupported": (400, "This request does not support credentials"),
    "EncryptionTypeMismatch": (400, "The encryption type does not match"),
    "EntityTooLarge": (400, "The proposed upload exceeds the maximum allowed size"),
    "EntityTooSmall": (400, "The proposed upload is smaller than the minimum allowed size"),
    "ExpiredToken": (400, "The provided token has expired"),
    "IdempotencyParameterMismatch": (400, "The idempotency token was used with other parameters"),
    "IllegalLocationConstraintException": (
        400,
        "The location constraint is incompatible with this endpoint",
    ),
    "IllegalVersioningConfigurationException": (400, "The versioning configuration is not valid"),
    "IncompleteBody": (400, "The body is shorter than Content-Length"),
    "InsufficientStorage": (507, "There is not enough free space to store the data"),
    "InternalError": (500, "An internal error occurred. Try again"),
    "InvalidAccessKeyId": (403, "The access key does not exist"),
    "InvalidAnnotationName": (400, "The annotation name is not valid"),
    "InvalidArgument": (400, "Invalid argument"),
    "InvalidBucketName": (400, "The specified bucket is not valid"),
    "InvalidBucketState": (409, "The request is not valid for the current state of the bucket"),
    "InvalidChunkSizeError": (
        403,
        "Only the last chunk is allowed to have a size less than 8192 bytes",
    ),
    "InvalidDigest": (400, "The Content-MD5 or checksum value is not valid"),
    "InvalidEncryptionAlgorithmError": (400, "The encryption algorithm is not valid"),
    "InvalidLocationConstraint": (400, "The location constraint is not valid"),
    "InvalidObjectState": (403, "The operation is not valid for the current state of the object"),
    "InvalidPart": (400, "One or more of the specified parts could not be found or did not match"),
    "InvalidPartNumber": (416, "The requested part number is not satisfiable"),
    "InvalidPartOrder": (400, "The list of parts was not in ascending order"),
    "InvalidPolicyDocument": (
        400,
        "The content of the form does not meet the conditions of the policy",
    ),
    "InvalidPrefix": (400, "The prefix is not valid"),
    "InvalidRange": (416, "The requested range is not satisfiable"),
    "InvalidRequest": (400, "Invalid request"),
    "InvalidSecurity": (403, "The provided security credentials are not valid"),
    "InvalidStorageClass": (400, "The storage class is not valid"),
    "InvalidTag": (400, "The tag is not valid"),
    "InvalidTargetBucketForLogging": (
        400,
        "The target bucket for logging does not exist or is not yours",
    ),
    "InvalidToken": (400, "The provided token is malformed or otherwise not valid"),
    "InvalidURI": (400, "Could not parse the specified URI"),
    "InvalidWriteOffset": (400, "The write offset does not match the size of the object"),
    "KeyTooLongError": (400, "The key is too long"),
    "KMS.NotFoundException": (400, "The key was not found"),
    "MalformedACLError": (400, "The ACL is not well formed or did not validate"),
    "MalformedPolicy": (400, "The policy is not well formed"),
    "MalformedPOSTRequest": (
        400,
        "The body of the POST request is not well formed multipart/form-data",
    ),
    "MalformedTrailerError": (
        400,
        "The request contained trailing data that was not well-formed",
    ),
    "MalformedXML": (400, "The XML is not well formed or did not validate against the schema"),
    "MaxMessageLengthExceeded": (400, "The request was too big"),
    "MetadataTooLarge": (400, "The metadata headers exceed the maximum allowed size"),
    "MethodNotAllowed": (405, "The method is not allowed against this resource"),
    "MissingContentLength": (411, "The Content-Length header is required"),
    "MissingRequestBodyError": (400, "The request body is empty"),
    "MissingSecurityHeader": (400, "The request is missing a required header"),
    "NoSuchAnnotation": (404, "The annotation does not exist"),
    "NoSuchBucket": (404, "The specified bucket does not exist"),
    "NoSuchBucketPolicy": (404, "The bucket policy does not exist"),
    "NoSuchConfiguration": (404, "The specified configuration does not exist"),
    "NoSuchCORSConfiguration": (404, "The CORS configuration does not exist"),
    "NoSuchKey": (404, "The specified key does not exist"),
    "NoSuchLifecycleConfiguration": (404, "The lifecycle configuration does not exist"),
    "NoSuchObjectLockConfiguration": (404, "The object has no lock configuration"),
    "NoSuchPublicAccessBlockConfiguration": (
        404,
        "The public access block configuration was not found",
    ),
    "NoSuchTagSet": (404, "There is no tag set associated with the bucket"),
    "NoSuchUpload": (404, "The specified multipart upload does not exist"),
    "NoSuchVersion": (404, "The version does not exist"),
    "NoSuchWebsiteConfiguration": (404, "The website configuration does not exist"),
    "NotImplemented": (
        501,
        "A header or query you provided implies functionality that is not implemented",
    ),
    "NotModified": (304, "Not Modified"),
    "ObjectAlreadyInActiveTierError": (403, "The object is already in an active tier"),
    "ObjectLockConfigurationNotFoundError": (
        404,
        "Object Lock configuration does not exist for this bucket",
    ),
    "ObjectNotInActiveTierError": (403, "The source object is not in an active tier"),
    "OperationAborted": (
        409,
        "A conflicting conditional operation is in progress against this resource",
    ),
    "OwnershipControlsNotFoundError": (404, "The bucket ownership controls were not found"),
    "PermanentRedirect": (301, "The bucket must be addressed using another endpoint"),
    "PreconditionFailed": (412, "At least one of the preconditions did not hold"),
    "QuotaExceeded": (403, "The quota does not allow more data"),
    "ReplicationConfigurationNotFoundError": (404, "The replication configuration was not found"),
    "RequestHeaderSectionTooLarge": (400, "The request headers exceed the maximum allowed size"),
    "RequestTimeout": (400, "The socket was not read from or written to within the timeout period"),
    "RequestTimeTooSkewed": (403, "The request time and the server's time differ too much"),
    "ServerSideEncryptionConfigurationNotFoundError": (
        404,
        "The encryption configuration was not found",
    ),
    "ServiceUnavailable": (503, "Service is unable to handle the request"),
    "SignatureDoesNotMatch": (
        403,
        "The request signature does not match the signature you provided",
    ),
    "SlowDown": (503, "Reduce your request rate"),
    "TemporaryRedirect": (307, "The bucket is being moved"),
    "TooManyBuckets": (400, "You have attempted to create more buckets than allowed"),
    "TooManyParts": (400, "The object has too many parts"),
    "UnauthorizedAccess": (403, "Access is not authorized"),
    "UnexpectedContent": (400, "This request does not support content"),
    "UnsupportedMediaType": (415, "The media type is not supported"),
    "UnresolvableGrantByEmailAddress": (400, "The email address does not match any account"),
    "XAmzContentChecksumMismatch": (400, "The provided checksum did not match what was computed"),
    "XAmzContentSHA256Mismatch": (
        400,
        "The provided x-amz-content-sha256 header did not match what was computed",
    ),
}


class S3Error(Exception):
    """Raise anywhere below a verb; the server renders it.

    Extra fields become XML elements, as AWS does.
    """

    def __init__(self, code: str, message: str | None = None, **fields: str) -> None:
        self.code, self.fields = code, fields
        self.status, default = TABLE[code]
        self.message = message or default
        super().__init__(f"{code}: {self.message}")


def render_error(error: S3Error, *, resource: str, request_id: str) -> bytes:
    """Write the error document of S3's REST API ("Error responses")."""
    fields = {
        "Code": error.code,
        "Message": error.message,
        **error.fields,
        "Resource": resource,
        "RequestId": request_id,
    }
    inner = "".join(f"<{tag}>{escape(text)}</{tag}>" for tag, text in fields.items())
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<Error>{inner}</Error>'.encode()
