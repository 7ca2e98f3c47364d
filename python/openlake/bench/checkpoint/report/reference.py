"""The published results that a report stands beside.

MLPerf Storage v3.0, Llama 3.1 8B checkpointing, Closed, S3, one client, one data-parallel instance,
ten writes and ten reads of 104.70 GiB; each figure is the mean over the ten, as published.
"""

from dataclasses import dataclass

TITLE = "MLPerf Storage v3.0, Llama 3.1 8B checkpointing, Closed, S3, 104.70 GiB a checkpoint"

CAUTION = (
    "The reference's ten writes were five at about 11.3 GiB/s (page cache absorbing) and five at "
    "about 2.1 GiB/s: total bytes over total time 3.56 GiB/s, with syncs and verification off."
)


@dataclass(frozen=True, slots=True)
class PublishedResult:
    name: str
    write_gib_s: float
    read_gib_s: float
    write_s: float
    read_s: float


PUBLISHED = (
    PublishedResult("OpenLake reference", 6.72, 11.55, 29.42, 9.37),
    PublishedResult("NVIDIA AIStore, 6 nodes", 3.40, 11.08, 30.83, 9.47),
    PublishedResult("NVIDIA AIStore, 12 nodes", 3.20, 8.33, 33.04, 12.90),
    PublishedResult("NVIDIA AIStore, 3 nodes", 3.02, 6.99, 34.67, 15.00),
    PublishedResult("Nebius Object Storage", 2.81, 7.14, 37.24, 14.67),
)
