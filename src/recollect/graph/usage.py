"""Usage limits of a key and of a project: requests per second, episodes and bytes per day."""

from typing import Literal, get_args

import msgspec

from recollect.errors import InvalidInput
from recollect.settings import Settings

LimitName = Literal[
    "key_requests_per_s",
    "key_requests_burst",
    "key_episodes_per_day",
    "key_bytes_per_day",
    "project_requests_per_s",
    "project_requests_burst",
    "project_episodes_per_day",
    "project_bytes_per_day",
]
Scope = Literal["key", "project"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
Daily = Literal["episodes", "bytes"]
DAILY: tuple[Daily, ...] = get_args(Daily)
NUMBER_MAX = 1_000_000_000_000


class UsageLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits that are in force for a project and each of its keys; None is no limit."""

    key_requests_per_s: float | None = None
    key_requests_burst: int | None = None
    key_episodes_per_day: int | None = None
    key_bytes_per_day: int | None = None
    project_requests_per_s: float | None = None
    project_requests_burst: int | None = None
    project_episodes_per_day: int | None = None
    project_bytes_per_day: int | None = None

    def rate(self, scope: Scope) -> tuple[float, int] | None:
        """Requests per second, and the burst; by default the burst is two seconds' worth of requests."""
        per_s: float | None = getattr(self, f"{scope}_requests_per_s")
        if per_s is None:
            return None
        burst: int | None = getattr(self, f"{scope}_requests_burst")
        return per_s, max(1, round(per_s * 2) if burst is None else burst)

    def a_day(self, scope: Scope, what: Daily) -> int | None:
        """How many episodes or bytes are accepted per day."""
        found: int | None = getattr(self, f"{scope}_{what}_per_day")
        return found


NO_LIMITS = UsageLimits()
LIMIT_NAMES: tuple[LimitName, ...] = get_args(LimitName)
Chosen = dict[LimitName, float | None]  # a project's overrides of the settings


def of_settings(settings: Settings) -> UsageLimits:
    """The limits of projects without overrides."""
    return UsageLimits(**{name: getattr(settings, name) for name in LIMIT_NAMES})


def check(name: str, value: float | None) -> None:
    """Check a limit: None for no limit, or a number above 0."""
    if name not in LIMIT_NAMES:
        raise InvalidInput(f"{name}: there is no such limit; there are {', '.join(LIMIT_NAMES)}")
    if value is None:
        return
    whole = not name.endswith("_requests_per_s")
    if not 0 < value <= NUMBER_MAX or (whole and value != int(value)):
        kind = "a whole number" if whole else "a number"
        raise InvalidInput(f"{name}: must be {kind} above 0, or null for no limit")


def decoded(chosen: str | None) -> Chosen:
    """The overrides stored in a project's row."""
    return msgspec.json.decode(chosen, type=Chosen) if chosen else {}


def in_force(settings: UsageLimits, chosen: Chosen) -> UsageLimits | None:
    """The limits of a project: the settings with its overrides; None if nothing is limited."""
    whole = {n: int(v) if v is not None and v == int(v) else v for n, v in chosen.items()}
    made = msgspec.structs.replace(settings, **whole) if chosen else settings
    return None if made == NO_LIMITS else made
