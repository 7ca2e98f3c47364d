"""Who may do what: root everything, a user everything in its own buckets. A refusal comes before
anything that would reveal what exists.
"""

from openlake.control.iam import User
from openlake.control.state import State
from openlake.s3model import S3Error


def check_bucket(state: State, caller: User, bucket: str, expected_owner: str | None) -> None:
    """`expected_owner`: the canonical id that the client wants the bucket's owner to have."""
    found = state.buckets.get(bucket)
    if not caller.is_root and (found is None or found.owner_id != caller.user_id):
        raise S3Error("AccessDenied")
    if found is None:
        raise S3Error("NoSuchBucket", BucketName=bucket)
    if expected_owner is not None and expected_owner != found.owner_id:
        raise S3Error("AccessDenied")
