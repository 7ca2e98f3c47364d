"""Buckets: create, delete, find, list, locate."""

from openlake._core import EngineError
from openlake.control.call import Call
from openlake.control.s3 import list_token
from openlake.control.s3.moment import moment
from openlake.control.state import Bucket as KnownBucket
from openlake.s3model import S3Error, load
from openlake.s3model.types import (
    Bucket,
    CreateBucketConfiguration,
    CreateBucketOutput,
    CreateBucketRequest,
    DeleteBucketRequest,
    GetBucketLocationOutput,
    GetBucketLocationRequest,
    HeadBucketOutput,
    HeadBucketRequest,
    ListBucketsOutput,
    ListBucketsRequest,
)

# The region whose buckets have no location constraint, and where creating one's own bucket again
# is no error: so it was before there were others.
FIRST_REGION = "us-east-1"
BUCKETS_PAGE_MAX = 10_000
TOKEN_SCOPE = "ListBuckets"  # noqa: S105 what the tokens are for


async def create_bucket(call: Call, request: CreateBucketRequest) -> CreateBucketOutput:
    name = request["Bucket"]
    check_location(call.region, request.get("CreateBucketConfiguration"))
    try:
        await call.state.create_bucket(name, call.caller.user_id)
    except ValueError:
        raise S3Error("InvalidBucketName", BucketName=name) from None
    except EngineError as error:
        if error.kind != "BucketExists" or error.details["owner"] != call.caller.user_id:
            raise
        if call.region != FIRST_REGION:
            raise S3Error("BucketAlreadyOwnedByYou", BucketName=name) from None
    return {"Location": f"/{name}"}


def check_location(region: str, configuration: CreateBucketConfiguration | None) -> None:
    if configuration is None:
        return
    for member in ("Location", "Bucket", "Tags"):
        if member in configuration:
            raise S3Error("NotImplemented", f"{member} of a bucket is not implemented")
    constraint = configuration.get("LocationConstraint")
    if constraint is None or constraint == region:
        return
    if constraint in load().shape("BucketLocationConstraint").enum | {FIRST_REGION}:
        raise S3Error(
            "IllegalLocationConstraintException",
            f"The {constraint} location constraint is incompatible for the region specific "
            "endpoint this request was sent to.",
        )
    raise S3Error("InvalidLocationConstraint", LocationConstraint=constraint)


async def delete_bucket(call: Call, request: DeleteBucketRequest) -> None:
    await call.state.delete_bucket(request["Bucket"])


async def head_bucket(call: Call, request: HeadBucketRequest) -> HeadBucketOutput:
    # That the bucket exists was checked with the caller's access to it.
    del request
    return {"BucketRegion": call.region}


async def get_bucket_location(
    call: Call, request: GetBucketLocationRequest
) -> GetBucketLocationOutput:
    del request
    return {"LocationConstraint": "" if call.region == FIRST_REGION else call.region}


async def list_buckets(call: Call, request: ListBucketsRequest) -> ListBucketsOutput:
    page_max = request.get("MaxBuckets", BUCKETS_PAGE_MAX)
    if not 1 <= page_max <= BUCKETS_PAGE_MAX:
        raise S3Error("InvalidArgument", ArgumentName="max-buckets", ArgumentValue=str(page_max))
    prefix, token = request.get("Prefix", ""), request.get("ContinuationToken")
    key = call.state.token_key
    after = list_token.read(key, TOKEN_SCOPE, token) if token else ""
    found = [bucket for bucket in own_buckets(call, request) if bucket.name.startswith(prefix)]
    rest = [bucket for bucket in found if bucket.name > after]
    page = rest[:page_max]
    answer: ListBucketsOutput = {
        "Buckets": [entry(bucket, call.region, paged=bool(request)) for bucket in page],
        "Owner": {"ID": call.caller.user_id, "DisplayName": call.caller.name},
    }
    if "Prefix" in request:
        answer["Prefix"] = prefix
    if len(rest) > len(page):
        answer["ContinuationToken"] = list_token.issue(key, TOKEN_SCOPE, page[-1].name)
    return answer


def own_buckets(call: Call, request: ListBucketsRequest) -> list[KnownBucket]:
    """By name, and all for root; none where another region is asked for."""
    if request.get("BucketRegion", call.region) != call.region:
        return []
    buckets = call.state.buckets.values()
    caller = call.caller
    own = (bucket for bucket in buckets if caller.is_root or bucket.owner_id == caller.user_id)
    return sorted(own, key=lambda bucket: bucket.name)


def entry(bucket: KnownBucket, region: str, *, paged: bool) -> Bucket:
    """S3 names the region where the client gave any parameter."""
    listed: Bucket = {"Name": bucket.name, "CreationDate": moment(bucket.created_ms)}
    if paged:
        listed["BucketRegion"] = region
    return listed
