"""What one run of the checkpoint job is asked to do; checked once, then carried to every rank."""

import hashlib
from dataclasses import dataclass
from typing import Literal

from openlake.bench.checkpoint.shape import KINDS, PART_BYTES, RANKS, Kind, ModelShape

ClientName = Literal["openlake", "s3dlio", "boto3"]
CLIENTS: tuple[ClientName, ...] = ("openlake", "s3dlio", "boto3")

# Parts in flight a rank.
PROFILES = {"mlperf-default": 2, "reference": 8}

FOLDER = "llama-checkpoint"


@dataclass(frozen=True, slots=True)
class Endpoint:
    url: str
    access_key: str
    secret_key: str
    region: str = "us-east-1"

    @property
    def on_this_host(self) -> bool:
        host = self.url.split("://", 1)[-1].rsplit(":", 1)[0].strip("[]/")
        return host in {"localhost", "::1"} or host.startswith("127.")


@dataclass(frozen=True, slots=True)
class JobPlan:
    endpoint: Endpoint
    scale: str
    shape: ModelShape
    client: ClientName
    profile: str
    checkpoints: int
    run_seed: int
    bucket: str = "checkpoint-bench"
    ranks: int = RANKS
    part_bytes: int = PART_BYTES
    idle_s: float = 5.0
    held: bool = True

    @property
    def parts_in_flight(self) -> int:
        return PROFILES[self.profile]

    @property
    def checkpoint_bytes(self) -> int:
        return self.shape.checkpoint_bytes(self.ranks)

    def objects(self, rank: int, step: int) -> list["CheckpointObject"]:
        """The rank's objects in the order in which they are saved and loaded."""
        return [self._object(rank, step, kind) for kind in KINDS]

    def _object(self, rank: int, step: int, kind: Kind) -> "CheckpointObject":
        folder = f"{FOLDER}/global_epoch1_step{step}"
        key = f"{folder}/zero_pp_rank_{rank}_mp_rank_0_{kind}_states.pt"
        # Another run's bytes under the same key must not pass: the run is part of the seed.
        digest = hashlib.blake2b(f"{self.run_seed}/{key}".encode(), digest_size=8).digest()
        size = self.shape.object_bytes(kind, self.ranks)
        return CheckpointObject(kind, key, size, int.from_bytes(digest, "little"))


@dataclass(frozen=True, slots=True)
class CheckpointObject:
    kind: Kind
    key: str
    size_bytes: int
    seed: int
