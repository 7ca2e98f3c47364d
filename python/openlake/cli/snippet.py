"""What `openlake serve` prints once it is up: where it is, and lines to paste."""

from typing import Protocol

TEMPLATE = """\
openlake is ready: S3 at {endpoint}, health and metrics at {admin}, data in {data}

    export AWS_ENDPOINT_URL={endpoint} AWS_DEFAULT_REGION={region}
    export AWS_ACCESS_KEY_ID={access_key} AWS_SECRET_ACCESS_KEY={secret_key}
    aws s3 mb s3://first && aws s3 cp /etc/hostname s3://first/ && aws s3 ls s3://first

    import boto3
    s3 = boto3.client("s3", endpoint_url="{endpoint}", region_name="{region}",
                      aws_access_key_id="{access_key}", aws_secret_access_key="{secret_key}")
    s3.create_bucket(Bucket="second")
    s3.put_object(Bucket="second", Key="hello", Body=b"hello")
"""

KEPT = "\nThe secret key is shown this once; it is kept in {keys_file} (mode 0600).\n"


class Started(Protocol):
    """A running server, as far as a user is told."""

    @property
    def endpoint(self) -> str: ...
    @property
    def admin(self) -> str: ...
    @property
    def data(self) -> str: ...
    @property
    def access_key(self) -> str: ...
    @property
    def new_secret_key(self) -> str | None:
        """The secret key where it was generated just now, else None: it is not shown again."""

    @property
    def keys_file(self) -> str: ...


def snippet(started: Started, region: str) -> str:
    text = TEMPLATE.format(
        endpoint=started.endpoint,
        admin=started.admin,
        data=started.data,
        region=region,
        access_key=started.access_key,
        secret_key=started.new_secret_key or "<the root user's secret key>",
    )
    if started.new_secret_key is not None:
        text += KEPT.format(keys_file=started.keys_file)
    return text
