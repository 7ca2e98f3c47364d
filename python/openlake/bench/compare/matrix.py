"""What is asked of every server, one question after the other, and what bounds the answer."""

from dataclasses import dataclass

from openlake.bench.scenario import KIB, MIB, PART_BYTES, SHAPES, Scenario

SIZES = {"4 KiB": 4 * KIB, "64 KiB": 64 * KIB, "128 KiB": 128 * KIB, "1 MiB": MIB}
CLIENTS = (1, 16, 64, 256)
# Objects that reads choose from: 16 MiB of small ones, so that they fit every server's memory.
KEYS = {4 * KIB: 4096, 64 * KIB: 256, 128 * KIB: 128, MIB: 64}
LISTED_KEYS = 10_000
RANGE_CLIENTS = (1, 16)


@dataclass(frozen=True, slots=True)
class Question:
    """Scenarios that answer one question; a server is bound by `bound`."""

    name: str
    asks: str
    bound: str
    scenarios: tuple[Scenario, ...]


def sized(verb: str) -> tuple[Scenario, ...]:
    return tuple(
        Scenario(f"{verb} {text}, {clients}", verb, size, clients, KEYS[size])
        for text, size in SIZES.items()
        for clients in CLIENTS
    )


def small(verb: str, clients: tuple[int, ...], keys: int = KEYS[4 * KIB]) -> tuple[Scenario, ...]:
    return tuple(Scenario(f"{verb}, {count}", verb, 4 * KIB, count, keys) for count in clients)


QUESTIONS = (
    Question(
        "put",
        "How many objects a second are stored, each safe before its answer?",
        "the drive's synced writes, shared by those that wait together; for 1 MiB its write rate",
        sized("put"),
    ),
    Question(
        "get",
        "How many objects a second are read from memory?",
        "the loopback ceiling: entries to the kernel for small ones, the socket's copy for large",
        sized("get"),
    ),
    Question(
        "head",
        "How many objects a second are looked up?",
        "the null server's requests a second",
        small("head", CLIENTS),
    ),
    Question(
        "delete",
        "How many objects a second are deleted, for good before the answer?",
        "the drive's synced writes, shared",
        small("delete", (64,), keys=20_000),
    ),
    Question(
        "list",
        "How many pages of 1,000 keys a second are listed?",
        "one core's rate of writing XML",
        small("list", (1, 4), keys=LISTED_KEYS),
    ),
    Question(
        "parts",
        "How fast are 32 MiB parts stored, each safe before its answer?",
        "the lower of the drive's write rate and loopback, less what both cost the shared cores",
        tuple(
            Scenario(f"parts {shape}", "upload-part", PART_BYTES, in_flight, in_flight)
            for shape, in_flight in SHAPES.items()
        ),
    ),
    Question(
        "ranges",
        "How fast are ranges of a large object read?",
        "the socket's copy for 1 MiB, entries to the kernel for 4 KiB",
        tuple(
            Scenario(
                f"range {text} of 128 MiB, {clients}", "range", 128 * MIB, clients, 1,
                range_bytes=size,
            )
            for text, size in {"4 KiB": 4 * KIB, "1 MiB": MIB}.items()
            for clients in RANGE_CLIENTS
        ),
    ),
)  # fmt: skip


def questions_named(names: tuple[str, ...]) -> tuple[Question, ...]:
    """In their own order; all of them if none is named."""
    return tuple(one for one in QUESTIONS if not names or one.name in names)
