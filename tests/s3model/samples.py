"""Random values of the model's shapes, the same for the same seed."""

import random
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from openlake.s3model.model import Member, Model, Shape

HEADER_SAFE = "abcXYZ019-_.~!$'()*,;:@ /+&=%?#\"<>\\^`{|}[]"
UNICODE = HEADER_SAFE + "éß中文\U0001f600\t\n"
EPOCH = datetime(2001, 1, 1, tzinfo=UTC)
# Shapes whose text has a syntax of its own that botocore checks.
FIXED = {
    "AccountId": "123456789012",
    "CopySource": "source-bucket/a key+é",
    "RenameSource": "source-bucket/a+key",
    "RequestRoute": "route-1",
}


class Samples:
    """`is_answer`: values that a server sends, else those that a client does."""

    def __init__(self, model: Model, seed: str, *, is_answer: bool) -> None:
        self.model = model
        self.random = random.Random(seed)
        self.is_answer = is_answer

    def text(self, alphabet: str, most: int = 12) -> str:
        length = self.random.randint(1, most)
        return "".join(self.random.choice(alphabet) for _ in range(length))

    def header_text(self) -> str:
        return self.text(HEADER_SAFE).strip(" ,") or "x"

    def moment(self) -> datetime:
        return EPOCH + timedelta(seconds=self.random.randint(0, 10**9))

    def members(self, shape: Shape, share: float) -> dict[str, Any]:
        """Every required member and about this share of the others."""
        chosen = [
            member
            for member in shape.members.values()
            if (member.required and not self.is_answer) or self.random.random() < share
        ]
        return {member.name: self.member(member) for member in chosen}

    def member(self, member: Member) -> Any:
        shape = self.model.shape(member.shape_name)
        value = self.value(shape, in_header=member.location == "header")
        # An empty flattened list leaves no trace.
        return [self.value(shape.item)] if member.flattened and not value else value

    def value(self, shape: Shape, *, in_header: bool = False) -> Any:
        match shape.type:
            case "structure":
                return self.structure(shape)
            case "list":
                count = self.random.randint(1 if in_header else 0, 3)
                return [self.value(shape.item, in_header=in_header) for _ in range(count)]
            case "map":
                return {self.text("abcxyz019-_"): self.header_text() for _ in range(2)}
            case "string":
                return self.string(shape, in_header=in_header)
        return self.number(shape)

    def number(self, shape: Shape) -> Any:
        match shape.type:
            case "boolean":
                return self.random.random() < 0.5
            case "integer" | "long":
                most = min(shape.raw.get("max", 10**6), 10**6)
                return self.random.randint(shape.raw.get("min", 0), most)
            case "timestamp":
                return self.moment()
        return self.random.randbytes(self.random.randint(0, 20))

    def structure(self, shape: Shape) -> dict[str, Any]:
        if shape.raw.get("union"):
            name, member = self.random.choice(list(shape.members.items()))
            return {name: self.member(member)}
        return {
            member.name: self.member(member)
            for member in shape.members.values()
            if member.required
            or self.random.random() < 0.6
            # A client decodes these where it expects them, whether they are there or not.
            or (self.is_answer and (member.shape_name == "ObjectKey" or shape.name == PREFIXES))
        }

    def string(self, shape: Shape, *, in_header: bool) -> str:
        if shape.raw.get("enum"):
            return self.random.choice(sorted(shape.enum))
        if shape.name == "BucketName":
            return "bucket-" + self.text("abcdefgh0123456789")
        if shape.name == "Expires":
            return format_datetime(self.moment(), usegmt=True)
        if shape.name in FIXED:
            return FIXED[shape.name]
        if pattern := shape.raw.get("pattern"):
            is_key = "kms" in pattern
            name = "arn:aws:kms:us-east-1:123456789012:key/abc-1"
            return name if is_key else "arn:aws:s3:us-east-1:123456789012:x/abc"
        return self.header_text() if in_header else self.text(UNICODE)


PREFIXES = "CommonPrefix"
