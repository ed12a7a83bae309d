"""Tracing spans, for an exporter that is installed; without one, this does nothing.

A span says what was done, how it ended and for whom, in our own names and numbers. It never contains text
that was sent, stored or returned: user data must not leave through spans.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import ClassVar, Literal, Protocol, Self

Facts = Mapping[str, str | int | float | bool]
SpanKind = Literal["internal", "server", "client"]
_LEFT_MAX = 10_000  # episodes whose requests are remembered until a job runs


class Span:
    """An operation in progress. This one is exported nowhere."""

    __slots__ = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the span."""

    def note(self, facts: Facts, name: str | None = None) -> None:
        """Add attributes, and rename it if a name is given."""


class Tracing(Protocol):
    """Creates spans for an exporter. Its trace contexts are opaque to everybody else."""

    def span(self, name: str, facts: Facts, kind: SpanKind, within: object | None) -> Span:
        """A span that starts when it is entered; its parent is *within*, or the current span."""

    def here(self) -> object:
        """The current trace context."""

    def called_from(self, headers: Mapping[str, str]) -> object:
        """The caller's trace context, from the request headers."""


class _Told:
    """The installed exporter, and the trace contexts of requests that left work behind."""

    tracing: ClassVar[Tracing | None] = None
    left: ClassVar[OrderedDict[str, object]] = OrderedDict()


_NOTHING = Span()
_NO_FACTS: Facts = {}


def tell(tracing: Tracing | None) -> None:
    """Install an exporter; None removes it."""
    _Told.tracing = tracing
    _Told.left.clear()


def are_told() -> bool:
    """Whether an exporter is installed."""
    return _Told.tracing is not None


def span(name: str, facts: Facts = _NO_FACTS, *, kind: SpanKind = "internal") -> Span:
    """A span within the current one."""
    tracing = _Told.tracing
    return _NOTHING if tracing is None else tracing.span(name, facts, kind, None)


def request(name: str, headers: Iterable[tuple[bytes, bytes]]) -> Span:
    """The span of a request, within the caller's span if the headers name one."""
    tracing = _Told.tracing
    if tracing is None:
        return _NOTHING
    told = {key.decode("latin-1"): value.decode("latin-1") for key, value in headers}
    return tracing.span(name, _NO_FACTS, "server", tracing.called_from(told))


def leave(uuids: Iterable[str]) -> None:
    """Remember the trace context in which these episodes were stored, for the jobs that follow."""
    tracing = _Told.tracing
    if tracing is None:
        return
    here, left = tracing.here(), _Told.left
    for uuid in uuids:
        left[uuid] = here
    while len(left) > _LEFT_MAX:
        left.popitem(last=False)


def job(uuids: Iterable[str], facts: Facts) -> Span:
    """The span of a job, within the request that stored its first remembered episode.

    Only requests to this process are known, and only the most recent ones.
    """
    tracing = _Told.tracing
    if tracing is None:
        return _NOTHING
    within = next((_Told.left[uuid] for uuid in uuids if uuid in _Told.left), None)
    return tracing.span("job", facts, "internal", within)
