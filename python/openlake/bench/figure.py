"""One measured figure: its repetitions, their median and their spread."""

import statistics
from dataclasses import dataclass, field


@dataclass(slots=True)
class Figure:
    name: str
    unit: str
    values: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def spread(self) -> float:
        """Largest less smallest, as a share of the median."""
        return (max(self.values) - min(self.values)) / self.median if self.median else 0.0

    def __str__(self) -> str:
        return f"{self.median:,.4g} {self.unit} (±{self.spread / 2:.0%})"


class Figures:
    """Figures by name; each repetition adds one value to each."""

    def __init__(self) -> None:
        self.by_name: dict[str, Figure] = {}

    def add(self, name: str, unit: str, value: float) -> None:
        self.by_name.setdefault(name, Figure(name, unit)).values.append(value)

    def __getitem__(self, name: str) -> Figure:
        return self.by_name[name]

    def __contains__(self, name: str) -> bool:
        return name in self.by_name
