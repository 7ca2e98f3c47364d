"""Where each operation of the service model is answered: in the data plane, by a verb here, or with
a refusal that names it. `problems` lists what the model has and this does not, and the reverse.
"""

from collections.abc import Awaitable, Callable
from typing import Any, get_type_hints

from openlake.control.call import Call
from openlake.control.refused import REFUSED
from openlake.control.s3.buckets import (
    create_bucket,
    delete_bucket,
    get_bucket_location,
    head_bucket,
    list_buckets,
)
from openlake.control.s3.complete_upload import complete_multipart_upload
from openlake.control.s3.copy_object import copy_object
from openlake.control.s3.delete_objects import delete_objects
from openlake.control.s3.multipart import abort_multipart_upload, create_multipart_upload
from openlake.control.s3.upload_listings import list_multipart_uploads, list_parts
from openlake.s3model import Model, Operation

Verb = Callable[[Call, Any], Awaitable[Any]]

# Rust answers these from start to end.
HOT = frozenset(
    {
        "DeleteObject",
        "GetObject",
        "HeadObject",
        "ListObjects",
        "ListObjectsV2",
        "PutObject",
        "UploadPart",
    }
)
CONTROL: dict[str, Verb] = {
    "AbortMultipartUpload": abort_multipart_upload,
    "CompleteMultipartUpload": complete_multipart_upload,
    "CopyObject": copy_object,
    "CreateBucket": create_bucket,
    "CreateMultipartUpload": create_multipart_upload,
    "DeleteBucket": delete_bucket,
    "DeleteObjects": delete_objects,
    "GetBucketLocation": get_bucket_location,
    "HeadBucket": head_bucket,
    "ListBuckets": list_buckets,
    "ListMultipartUploads": list_multipart_uploads,
    "ListParts": list_parts,
}
# Every user may use these; all others need a bucket that is there and one's own.
FOR_EVERY_USER = frozenset({"CreateBucket", "ListBuckets"})


def problems(model: Model) -> list[str]:
    """Empty when every operation has exactly one place and every verb the types of the model."""
    places = (HOT, CONTROL.keys(), REFUSED)
    found: list[str] = []
    for name in sorted(model.operations.keys() | HOT | CONTROL.keys() | REFUSED):
        count = sum(name in place for place in places)
        if name not in model.operations:
            found.append(f"{name}: is not an operation of the model")
        elif count != 1:
            found.append(f"{name}: has {count} places, not one of hot, control and refused")
        elif name in CONTROL:
            found += mistyped(model.operations[name], CONTROL[name])
    return found


def mistyped(operation: Operation, verb: Verb) -> list[str]:
    hints = get_type_hints(verb)
    takes, gives = hints["request"].__name__, getattr(hints["return"], "__name__", "?")
    wanted = operation.input.name if operation.input else "?"
    answered = operation.output.name if operation.output else "NoneType"
    if (takes, gives) == (wanted, answered):
        return []
    return [f"{operation.name}: takes {takes} and returns {gives}, not {wanted} and {answered}"]
