"""What a refused call of boto3 says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from collections.abc import Callable


def refusal(call: Callable[..., object], **params: object) -> tuple[int, str]:
    """Status and code of a call that has to be refused."""
    with pytest.raises(ClientError) as caught:
        call(**params)
    response = caught.value.response
    return response["ResponseMetadata"]["HTTPStatusCode"], response["Error"]["Code"]
