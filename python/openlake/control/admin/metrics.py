"""Metrics in Prometheus' text format: the data plane's counters and those of the control verbs."""

from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

PREFIX = "openlake_"
COUNTER_SUFFIX = "_total"


class ControlMetrics:
    """Control requests by operation."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "openlake_control_requests",
            "Requests that the control plane answered.",
            ["operation", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "openlake_control_request_seconds",
            "Time from the ring to the answer.",
            ["operation"],
            registry=self.registry,
        )

    def answered(self, operation: str, status: int, seconds: float) -> None:
        self._requests.labels(operation, str(status)).inc()
        self._seconds.labels(operation).observe(seconds)


class EngineCollector(Collector):
    """One reading of the data plane's counters and gauges."""

    def __init__(self, reading: Mapping[str, int]) -> None:
        self._reading = reading

    def collect(self) -> Iterator[Metric]:
        for name, value in self._reading.items():
            text = name.removesuffix(COUNTER_SUFFIX).replace("_", " ")
            if name.endswith(COUNTER_SUFFIX):
                yield CounterMetricFamily(PREFIX + name, f"Data plane: {text}.", value=value)
            else:
                yield GaugeMetricFamily(PREFIX + name, f"Data plane: {text}.", value=value)


def metrics_page(metrics: ControlMetrics, reading: Mapping[str, int]) -> bytes:
    engine = CollectorRegistry()
    engine.register(EngineCollector(reading))
    return generate_latest(engine) + generate_latest(metrics.registry)
