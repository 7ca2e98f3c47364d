"""What a call can raise: one tree.

OpenLakeError
├── InvalidInputError (also ValueError)      the arguments cannot work; nothing was sent
├── ConnectError (also ConnectionError)      no connection could be made
├── BrokenConnectionError (also ConnectionError)  it broke before the answer was complete
├── DeadlineError (also TimeoutError)        no complete answer in time
├── ProtocolError                            the peer does not speak HTTP or S3
├── IntegrityError                           bytes do not have the checksum they should have
└── ServiceError                             the server answered with an S3 error
    ├── AccessDeniedError                    AccessDenied, wrong keys, expired signatures
    ├── NotFoundError
    │   ├── NoSuchBucketError
    │   ├── NoSuchKeyError
    │   └── NoSuchUploadError
    ├── BucketExistsError                    BucketAlreadyExists, BucketAlreadyOwnedByYou
    ├── BucketNotEmptyError
    ├── PreconditionFailedError              if_match or if_none_match did not hold
    ├── InvalidRangeError                    the range lies beyond the object
    ├── NotImplementedByServerError          the server refuses this operation
    ├── OutOfSpaceError                      the drive is full; reads and deletes go on
    └── SlowDownError                        still busy after every retry
"""

from typing import TypedDict, Unpack


class Facts(TypedDict):
    """All that is known of a failed call."""

    message: str
    status: int | None
    code: str | None
    request_id: str | None
    bucket: str
    key: str
    attempts: int


class OpenLakeError(Exception):
    """Everything below. `str()` says what failed, on what, and after how many attempts."""

    def __init__(self, **facts: Unpack[Facts]) -> None:
        self.message = facts["message"]
        self.status = facts["status"]
        self.code = facts["code"]
        self.request_id = facts["request_id"]
        self.bucket = facts["bucket"]
        self.key = facts["key"]
        self.attempts = facts["attempts"]
        super().__init__(_told(facts))

    def __reduce__(self) -> tuple[object, ...]:
        # Errors travel between processes; by default only positional arguments would.
        facts = Facts(
            message=self.message,
            status=self.status,
            code=self.code,
            request_id=self.request_id,
            bucket=self.bucket,
            key=self.key,
            attempts=self.attempts,
        )
        return _rebuilt, (type(self), facts)


class InvalidInputError(OpenLakeError, ValueError):
    pass


class ConnectError(OpenLakeError, ConnectionError):
    pass


class BrokenConnectionError(OpenLakeError, ConnectionError):
    """A call that a second time could do harm, such as a conditional put, is not repeated: the
    message then says that the outcome is not known, and the caller must look.
    """


class DeadlineError(OpenLakeError, TimeoutError):
    """What was asked for may still have been done."""


class ProtocolError(OpenLakeError):
    pass


class IntegrityError(OpenLakeError):
    pass


class ServiceError(OpenLakeError):
    pass


class AccessDeniedError(ServiceError):
    pass


class NotFoundError(ServiceError):
    pass


class NoSuchBucketError(NotFoundError):
    pass


class NoSuchKeyError(NotFoundError):
    pass


class NoSuchUploadError(NotFoundError):
    pass


class BucketExistsError(ServiceError):
    pass


class BucketNotEmptyError(ServiceError):
    pass


class PreconditionFailedError(ServiceError):
    pass


class InvalidRangeError(ServiceError):
    pass


class NotImplementedByServerError(ServiceError):
    pass


class OutOfSpaceError(ServiceError):
    pass


class SlowDownError(ServiceError):
    pass


BY_KIND: dict[str, type[OpenLakeError]] = {
    "invalid_input": InvalidInputError,
    "connect": ConnectError,
    "connection": BrokenConnectionError,
    "deadline": DeadlineError,
    "protocol": ProtocolError,
    "integrity": IntegrityError,
}

BY_CODE: dict[str, type[ServiceError]] = {
    "NoSuchBucket": NoSuchBucketError,
    "NoSuchKey": NoSuchKeyError,
    "NoSuchUpload": NoSuchUploadError,
    "BucketAlreadyExists": BucketExistsError,
    "BucketAlreadyOwnedByYou": BucketExistsError,
    "BucketNotEmpty": BucketNotEmptyError,
    "SlowDown": SlowDownError,
}

BY_STATUS: dict[int, type[ServiceError]] = {
    403: AccessDeniedError,
    404: NotFoundError,
    412: PreconditionFailedError,
    416: InvalidRangeError,
    501: NotImplementedByServerError,
    503: SlowDownError,
    507: OutOfSpaceError,
}


def of_native(kind: str, **facts: Unpack[Facts]) -> OpenLakeError:
    """The exception for a failure of the native client; called by `_core`."""
    if kind in BY_KIND:
        return BY_KIND[kind](**facts)
    by_status = BY_STATUS.get(facts["status"] or 0, ServiceError)
    return BY_CODE.get(facts["code"] or "", by_status)(**facts)


def _told(facts: Facts) -> str:
    text = f"{facts['code']}: {facts['message']}" if facts["code"] else facts["message"]
    details = [f"s3://{facts['bucket']}/{facts['key']}"] if facts["bucket"] else []
    if facts["status"] is not None:
        details.append(f"HTTP {facts['status']}")
    if facts["request_id"]:
        details.append(f"request {facts['request_id']}")
    if facts["attempts"] > 1:
        details.append(f"{facts['attempts']} attempts")
    return f"{text} ({', '.join(details)})" if details else text


def _rebuilt(kind: type[OpenLakeError], facts: Facts) -> OpenLakeError:
    return kind(**facts)
