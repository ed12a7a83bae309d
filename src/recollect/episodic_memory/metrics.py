"""The metrics of the memories: asking for the same name twice gives the same metric.

They have no labels, so none can name a project.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Summary

from recollect.errors import InvariantViolated

M = TypeVar("M", Counter, Gauge, Summary)

PREFIX = "recollect_memory_"


class MetricsFactory:
    """Makes counters, gauges and summaries of one registry, each of them once."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._made: dict[str, Counter | Gauge | Summary] = {}

    def counter(self, name: str, description: str) -> Counter:
        """A number that only grows; Prometheus sees it with `_total` at the end of its name."""
        return self._metric(Counter, name, description)

    def gauge(self, name: str, description: str) -> Gauge:
        """A number that grows and shrinks."""
        return self._metric(Gauge, name, description)

    def summary(self, name: str, description: str) -> Summary:
        """How many values there were, and their sum."""
        return self._metric(Summary, name, description)

    def _metric(self, kind: type[M], name: str, description: str) -> M:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = kind(PREFIX + name, description, registry=self._registry)
        if not isinstance(made, kind):
            raise InvariantViolated(
                f"metric {name} is a {type(made).__name__} and cannot be a {kind.__name__} as well"
            )
        return made


class MemoryMetrics:
    """What is counted of memories: what comes in, what is asked, and the instances that are open.

    Latencies are in milliseconds, of calls that succeeded.
    """

    def __init__(self, factory: MetricsFactory) -> None:
        self.ingestion_count = factory.counter("ingestion_count", "Episodes that were taken in.")
        self.ingestion_latency = factory.summary(
            "ingestion_latency_ms", "Milliseconds until the episodes of a call were durable."
        )
        self.query_count = factory.counter("query_count", "Questions that were answered.")
        self.query_latency = factory.summary(
            "query_latency_ms", "Milliseconds until both memories had answered."
        )
        self.instances_open = factory.gauge("instances_open", "Instances that are open.")
        self.instances_in_use = factory.gauge("instances_in_use", "Instances that someone holds.")

    @contextmanager
    def ingestion(self, episodes: int) -> Iterator[None]:
        """Measure what takes in so many episodes."""
        with _measured(self.ingestion_latency):
            yield
        self.ingestion_count.inc(episodes)

    @contextmanager
    def query(self) -> Iterator[None]:
        """Measure what answers one question."""
        with _measured(self.query_latency):
            yield
        self.query_count.inc()


@contextmanager
def _measured(latency_ms: Summary) -> Iterator[None]:
    began = time.perf_counter()
    yield
    latency_ms.observe((time.perf_counter() - began) * 1000)


FACTORY = MetricsFactory(REGISTRY)  # one, because a registry takes no name twice
