"""OpenTelemetry, if it is configured: spans and metrics go to an OTLP receiver over HTTP.

The provider is local to this module and not the global one, so that instrumented libraries, which might put
user data into their spans, do not find it. The metrics are those of `/metrics`, under the same names.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self

from opentelemetry import context, trace
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from prometheus_client import REGISTRY
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.samples import Sample

from recollect import spans
from recollect.spans import Facts, Span, SpanKind

_NAME = "recollect"
_EXPORT_S = 5.0  # a shutdown waits this long for the receiver
_KINDS: dict[SpanKind, trace.SpanKind] = {
    "internal": trace.SpanKind.INTERNAL,
    "server": trace.SpanKind.SERVER,
    "client": trace.SpanKind.CLIENT,
}
_CUMULATIVE = AggregationTemporality.CUMULATIVE


class _OpenSpan(Span):
    """A span of the SDK, exported when it ends."""

    __slots__ = ("_open", "_span")

    def __init__(self, opened: AbstractContextManager[trace.Span]) -> None:
        self._open = opened
        self._span: trace.Span = trace.INVALID_SPAN

    def __enter__(self) -> Self:
        self._span = self._open.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace_: TracebackType | None,
    ) -> None:
        if kind is not None:  # the message may quote user data: only the type is sent
            self._span.set_attribute("error.type", kind.__name__)
            self._span.set_status(trace.StatusCode.ERROR, kind.__name__)
        self._open.__exit__(kind, error, trace_)

    def note(self, facts: Facts, name: str | None = None) -> None:
        """Add attributes, and rename it if a name is given."""
        self._span.set_attributes(facts)
        if name is not None:
            self._span.update_name(name)


class _OtelTracing:
    """Creates spans with the SDK."""

    def __init__(self, provider: TracerProvider, version: str) -> None:
        self._tracer = provider.get_tracer(_NAME, version)
        self._propagator = TraceContextTextMapPropagator()

    def span(self, name: str, facts: Facts, kind: SpanKind, within: object | None) -> Span:
        """A span that starts when it is entered."""
        place = within if isinstance(within, context.Context) else None
        return _OpenSpan(
            self._tracer.start_as_current_span(
                name,
                context=place,
                kind=_KINDS[kind],
                attributes=facts,
                record_exception=False,
                set_status_on_exception=False,
            )
        )

    def here(self) -> object:
        """The current trace context."""
        return context.get_current()

    def called_from(self, headers: Mapping[str, str]) -> object:
        """The caller's trace context, from the W3C header `traceparent`."""
        return self._propagator.extract(headers, context=context.Context())


class Telemetry:
    """Sends spans and metrics to a receiver until it is closed. Its methods may block."""

    def __init__(self, url: str, version: str) -> None:
        base = url.rstrip("/")
        # The environment's resource attributes win over ours.
        told = Resource({"service.name": _NAME, "service.version": version})
        self._resource = told.merge(OTELResourceDetector().detect())
        self._scope = InstrumentationScope(_NAME, version)
        self._provider = TracerProvider(resource=self._resource, shutdown_on_exit=False)
        exporter = OTLPSpanExporter(endpoint=f"{base}/v1/traces", timeout=_EXPORT_S)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._metrics = OTLPMetricExporter(endpoint=f"{base}/v1/metrics", timeout=_EXPORT_S)
        self._began = time.time_ns()
        spans.tell(_OtelTracing(self._provider, version))

    def send_metrics(self) -> None:
        """Send every metric as it is now."""
        now = time.time_ns()
        found = [
            one for family in REGISTRY.collect() for one in _converted(family, self._began, now)
        ]
        scoped = ScopeMetrics(scope=self._scope, metrics=found, schema_url="")
        whole = ResourceMetrics(resource=self._resource, scope_metrics=[scoped], schema_url="")
        self._metrics.export(MetricsData(resource_metrics=[whole]))

    def close(self) -> None:
        """Send what is left, and stop."""
        spans.tell(None)
        self._provider.shutdown()
        self._metrics.shutdown()


def _converted(family: Family, began: int, now: int) -> Iterator[Metric]:
    """A metric family of the registry as OpenTelemetry metrics, under the same name."""
    by_name: dict[str, list[Sample]] = {}
    for sample in family.samples:
        if not sample.name.endswith("_created"):
            by_name.setdefault(sample.name, []).append(sample)
    if family.type == "histogram":
        yield _metric(family, family.name, _histogram(family.samples, began, now))
        return
    for name, samples in by_name.items():
        points = [_number(sample, began, now) for sample in samples]
        rises = family.type in {"counter", "summary"}
        yield _metric(
            family, name, Sum(points, _CUMULATIVE, is_monotonic=True) if rises else Gauge(points)
        )


def _metric(family: Family, name: str, data: Sum | Gauge | Histogram) -> Metric:
    return Metric(name=name, description=family.documentation, unit=family.unit, data=data)


def _number(sample: Sample, began: int, now: int) -> NumberDataPoint:
    return NumberDataPoint(
        attributes=dict(sample.labels),
        start_time_unix_nano=began,
        time_unix_nano=now,
        value=sample.value,
    )


def _histogram(samples: list[Sample], began: int, now: int) -> Histogram:
    """A histogram with separate bucket counts; those of the registry are cumulative."""
    series: dict[tuple[tuple[str, str], ...], dict[str, Any]] = {}
    for sample in samples:
        labels = tuple((k, v) for k, v in sample.labels.items() if k != "le")
        one = series.setdefault(labels, {"bounds": [], "below": []})
        if sample.name.endswith("_bucket"):
            one["bounds"].append(float(sample.labels["le"]))
            one["below"].append(int(sample.value))
        elif sample.name.endswith("_sum"):
            one["sum"] = sample.value
    points = []
    for labels, one in series.items():
        below = one["below"]
        counts = [count - before for count, before in zip(below, [0, *below], strict=False)]
        points.append(
            HistogramDataPoint(
                attributes=dict(labels),
                start_time_unix_nano=began,
                time_unix_nano=now,
                count=below[-1],
                sum=one["sum"],
                bucket_counts=counts,
                explicit_bounds=one["bounds"][:-1],  # the last one is infinity
                min=None,  # type: ignore[arg-type]  # not known, which the protocol allows
                max=None,  # type: ignore[arg-type]
            )
        )
    return Histogram(points, _CUMULATIVE)
