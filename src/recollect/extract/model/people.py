"""The two that are known without a name: the user whose graph it is, and the assistant."""

from typing import Literal

from recollect.extract.brief import Brief

Who = Literal["user", "assistant"]


def who(name: str, reading: Brief) -> Who | None:
    """Whether a name means one of the two."""
    folded = _fold(name)
    if folded in _user_names(reading):
        return "user"
    if folded == "assistant" or (
        reading.role == "assistant" and reading.speaker and folded == _fold(reading.speaker)
    ):
        return "assistant"
    return None


def _user_names(reading: Brief) -> set[str]:
    user = reading.user
    if user is None:
        return set()
    full = f"{user.first_name or ''} {user.last_name or ''}"
    names = (user.name, full, user.first_name, user.email, user.user_id, "user", "the user")
    return {_fold(name) for name in names if name and name.strip()}


def _fold(name: str) -> str:
    return " ".join(name.split()).casefold()
