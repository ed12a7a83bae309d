"""One factory: the same name is the same metric, and a name has one type."""

from pathlib import Path

import pytest
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest

from recollect.episodic_memory.manager import FACTORY, MemoryMetrics, MetricsFactory
from recollect.errors import InvariantViolated
from tests.support.asgi import program


@pytest.fixture
def registry() -> CollectorRegistry:
    """A registry of its own."""
    return CollectorRegistry()


def test_the_same_name_is_the_same_metric(registry: CollectorRegistry) -> None:
    """Whoever asks for a metric adds to what the others added."""
    factory = MetricsFactory(registry)
    assert factory.counter("a", "A.") is factory.counter("a", "Told otherwise.")
    assert factory.summary("b", "B.") is factory.summary("b", "B.")
    assert factory.gauge("c", "C.") is factory.gauge("c", "C.")


def test_a_clash_of_types_is_an_error(registry: CollectorRegistry) -> None:
    """And leaves the metric that there is as it was."""
    factory = MetricsFactory(registry)
    made = factory.counter("a", "A.")
    with pytest.raises(InvariantViolated, match="metric a is a Counter"):
        factory.summary("a", "A.")
    with pytest.raises(InvariantViolated, match="cannot be a Gauge"):
        factory.gauge("a", "A.")
    assert factory.counter("a", "A.") is made


def test_what_comes_in_is_counted_and_timed(registry: CollectorRegistry) -> None:
    """Episodes are counted, calls are timed, in milliseconds."""
    metrics = MemoryMetrics(MetricsFactory(registry))
    with metrics.ingestion(3):
        pass
    assert registry.get_sample_value("recollect_memory_ingestion_count_total") == 3
    assert registry.get_sample_value("recollect_memory_ingestion_latency_ms_count") == 1
    spent = registry.get_sample_value("recollect_memory_ingestion_latency_ms_sum")
    assert spent is not None
    assert 0 < spent < 1000


def test_what_fails_is_not_counted(registry: CollectorRegistry) -> None:
    """A question that was refused was not answered."""
    metrics = MemoryMetrics(MetricsFactory(registry))
    with pytest.raises(ValueError, match="no"), metrics.query():
        raise ValueError("no")
    assert registry.get_sample_value("recollect_memory_query_count_total") == 0
    assert registry.get_sample_value("recollect_memory_query_latency_ms_count") == 0


def test_no_metric_has_a_label(registry: CollectorRegistry) -> None:
    """So none can name a project."""
    MemoryMetrics(MetricsFactory(registry))
    assert b"recollect_memory_" in generate_latest(registry)
    assert b"{" not in generate_latest(registry)


def test_two_servers_in_one_process_share_the_metrics() -> None:
    """The default registry takes no name twice, and the factory makes none twice."""
    assert MemoryMetrics(FACTORY).query_count is MemoryMetrics(FACTORY).query_count
    assert REGISTRY.get_sample_value("recollect_memory_query_count_total") is not None


async def test_they_are_among_what_prometheus_is_told(tmp_path: Path) -> None:
    """Before anything was asked, too."""
    MemoryMetrics(FACTORY)
    async with program(tmp_path) as running:
        told = (await running.send("GET", "/metrics", anonymous=True)).body.decode()
    for name in (
        "ingestion_count_total",
        "query_count_total",
        "ingestion_latency_ms_sum",
        "query_latency_ms_count",
        "instances_open",
        "instances_in_use",
    ):
        assert f"\nrecollect_memory_{name} " in told
