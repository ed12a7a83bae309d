"""What listeners are told about turns."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

QUEUED: Final = "turn.queued"
START: Final = "turn.start"
INPUT_QUEUED: Final = "turn.input_queued"
INPUT_DRAINED: Final = "turn.input_drained"
DONE: Final = "turn.done"
FAILED: Final = "turn.failed"
ABORTED: Final = "turn.aborted"
ENDS: Final = frozenset({DONE, FAILED, ABORTED})


class Event(NamedTuple):
    """One event of a turn. The last three types end it; nothing comes after them."""

    type: str
    session_id: str
    turn_id: str
    data: Mapping[str, Any] = MappingProxyType({})

    @property
    def ends_turn(self) -> bool:
        """Whether the turn is over."""
        return self.type in ENDS


Listener = Callable[[Event], object]


class Listeners:
    """Listeners in the order they came.

    What one of them raises reaches neither the others nor the turn.
    """

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def add(self, listener: Listener) -> Callable[[], None]:
        """Listen from now on; the function returned ends it."""
        self._listeners.append(listener)

        def remove() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return remove

    def tell(self, event: Event) -> None:
        """Deliver to all."""
        for listener in list(self._listeners):
            try:
                listener(event)
            except Exception:  # noqa: BLE001, S112 - a listener only listens
                continue
