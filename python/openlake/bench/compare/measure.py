"""Takes every scenario of every server, one repetition after the other, servers in turn."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from openlake import Client
from openlake.bench.compare.matrix import Question
from openlake.bench.compare.subjects import Named
from openlake.bench.drive import measure_drive
from openlake.bench.figure import Figures
from openlake.bench.objects import CACHE_MIB, bucket, null_server, our_server
from openlake.bench.scenario import WARM_UP, Scenario, Subject, fill_for, take

OURS = "openlake"
NULL = "null"
# A page of 1,000 keys as short as the ones here.
LISTING_BYTES = 250_000

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """Who is asked what, how often and how long."""

    questions: tuple[Question, ...]
    peers: tuple[Named, ...]
    repetitions: int
    seconds: float

    @property
    def scenarios(self) -> Iterator[Scenario]:
        return (one for question in self.questions for one in question.scenarios)


@contextlib.contextmanager
def peer(named: Named) -> Iterator[Subject]:
    with bucket(Client(config=named.client)):
        yield named.subject()


def measure(folder: Path, plan: Plan, figures: Figures, say: Say) -> None:
    """Add one repetition of everything."""
    say("the drive")
    measure_drive(folder, plan.seconds, figures)
    measure_null(plan, figures, say)
    with our_server(folder / "server", OURS, cache_mib=CACHE_MIB) as subject:
        fill_for(WARM_UP, subject)
        measure_one(plan, subject, figures, say)
    for named in plan.peers:
        with peer(named) as subject:
            measure_one(plan, subject, figures, say)


def measure_one(plan: Plan, subject: Subject, figures: Figures, say: Say) -> None:
    stored: set[str] = set()
    for scenario in plan.scenarios:
        say(f"{subject.label}: {scenario.name}")
        if scenario.verb == "delete" or (scenario.reads and scenario.prefix not in stored):
            fill_for(scenario, subject)
            stored.add(scenario.prefix)
        # Every server makes the ETag that all of them know.
        take(replace(scenario, part_etag="md5"), subject, plan.seconds, figures)


def measure_null(plan: Plan, figures: Figures, say: Say) -> None:
    for scenario in plan.scenarios:
        say(f"{NULL}: {scenario.name}")
        with null_server(answered_bytes(scenario)) as subject:
            take(on_the_wire(scenario), subject, plan.seconds, figures)


def answered_bytes(scenario: Scenario) -> int:
    """Of the body of an answer to a GET without a range."""
    return LISTING_BYTES if scenario.verb == "list" else scenario.object_bytes


def on_the_wire(scenario: Scenario) -> Scenario:
    """The null server takes a part for what it is: a PUT of so many bytes."""
    return replace(scenario, verb="put") if scenario.verb == "upload-part" else scenario
