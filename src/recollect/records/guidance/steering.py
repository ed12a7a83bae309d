"""What observations should look for."""

import re

from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import Access, Record
from recollect.limits import (
    OBSERVATION_TYPE_CHARS_MAX,
    OBSERVATION_TYPE_NAME_CHARS_MAX,
    OBSERVATION_TYPES_MAX,
    STEERING_CHARS_MAX,
)
from recollect.records.guidance import scopes
from recollect.records.guidance.scopes import Scope
from recollect.store.protocol import Transaction

# The type of an observation that fits no other.
GENERIC = "generic"
_LOWER_SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


class ObservationType(Record):
    """A kind of observation worth making."""

    name: str
    description: str


class Steering(Record):
    """What observations should look for."""

    instruction: str | None = None
    types: tuple[ObservationType, ...] = ()


def set_steering(tx: Transaction, access: Access, where: Scope, steering: Steering) -> Steering:
    """Replace the whole steering of a scope; an empty one clears the scope."""
    _check_steering(steering)
    if not (steering.instruction or "").strip() and not steering.types:
        scopes.delete(tx, access, "steering", where)
        return Steering()
    scopes.put(tx, access, "steering", where, steering)
    return steering


def steering_at(tx: Transaction, access: Access, where: Scope) -> Steering:
    """The steering in force at a scope."""
    found = scopes.effective(tx, access, "steering", where)
    return scopes.value(found[0], Steering) if found else Steering()


def _check_steering(steering: Steering) -> None:
    checks.text("instruction", steering.instruction, STEERING_CHARS_MAX)
    scopes.check_count("types", steering.types, OBSERVATION_TYPES_MAX)
    for number, item in enumerate(steering.types):
        place = f"types[{number}]"
        checks.text(f"{place}.name", item.name, OBSERVATION_TYPE_NAME_CHARS_MAX, required=True)
        if not _LOWER_SNAKE.fullmatch(item.name):
            raise InvalidInput(f"{place}.name: must be in snake_case, got {item.name!r}")
        if item.name == GENERIC:
            raise InvalidInput(f"{place}.name: {GENERIC!r} is reserved")
        checks.text(
            f"{place}.description", item.description, OBSERVATION_TYPE_CHARS_MAX, required=True
        )
    scopes.check_unique("types", (item.name for item in steering.types))
