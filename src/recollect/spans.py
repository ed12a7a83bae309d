"""What takes time, told as spans to whoever asked for that; unless somebody did, nothing happens here.

A span says what was done, how it ended and by whom, in names and numbers of ours. It never has a word
of what was sent, stored or answered: where spans go, messages do not.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import ClassVar, Literal, Protocol, Self

Facts = Mapping[str, str | int | float | bool]
SpanKind = Literal["internal", "server", "client"]
_LEFT_MAX = 10_000  # episodes whose requests are remembered until they are read


class Span:
    """Something that is under way. This one tells nobody."""

    __slots__ = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """It is over."""

    def note(self, facts: Facts, name: str | None = None) -> None:
        """Say more of it, and call it otherwise."""


class Tracing(Protocol):
    """Where spans go. What a place is, only it knows."""

    def span(self, name: str, facts: Facts, kind: SpanKind, within: object | None) -> Span:
        """A span that begins when it is entered; *within* what is under way, or another place."""

    def here(self) -> object:
        """The place of what is under way."""

    def called_from(self, headers: Mapping[str, str]) -> object:
        """The place of somebody who calls us, as the headers of the call tell it."""


class _Told:
    """Who asked for spans, and where the requests were that left work behind."""

    tracing: ClassVar[Tracing | None] = None
    left: ClassVar[OrderedDict[str, object]] = OrderedDict()


_NOTHING = Span()
_NO_FACTS: Facts = {}


def tell(tracing: Tracing | None) -> None:
    """Let it be told from now on; None for nobody."""
    _Told.tracing = tracing
    _Told.left.clear()


def are_told() -> bool:
    """Whether anybody listens."""
    return _Told.tracing is not None


def span(name: str, facts: Facts = _NO_FACTS, *, kind: SpanKind = "internal") -> Span:
    """A span within what is under way."""
    tracing = _Told.tracing
    return _NOTHING if tracing is None else tracing.span(name, facts, kind, None)


def request(name: str, headers: Iterable[tuple[bytes, bytes]]) -> Span:
    """The span of a request, within the caller's where it tells one."""
    tracing = _Told.tracing
    if tracing is None:
        return _NOTHING
    told = {key.decode("latin-1"): value.decode("latin-1") for key, value in headers}
    return tracing.span(name, _NO_FACTS, "server", tracing.called_from(told))


def leave(uuids: Iterable[str]) -> None:
    """Remember where it was that these episodes were stored, for the work they leave behind."""
    tracing = _Told.tracing
    if tracing is None:
        return
    here, left = tracing.here(), _Told.left
    for uuid in uuids:
        left[uuid] = here
    while len(left) > _LEFT_MAX:
        left.popitem(last=False)


def job(uuids: Iterable[str], facts: Facts) -> Span:
    """The span of work on episodes, within the request that stored the first of them, if that was
    here and not long ago."""
    tracing = _Told.tracing
    if tracing is None:
        return _NOTHING
    within = next((_Told.left[uuid] for uuid in uuids if uuid in _Told.left), None)
    return tracing.span("job", facts, "internal", within)
