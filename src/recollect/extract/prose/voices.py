"""Who speaks and who listens, and which part of the text is whose."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from recollect.extract.brief import Brief, Profile, Turn

_PREFIX = regex.compile(
    r"^[ \t]*(?P<name>\p{L}[\p{L}\p{M}\d.'\u2019_-]*(?:[ ]\p{L}?[\p{L}\p{M}\d.'\u2019_-]+){0,3})[ ]*"
    r"(?:\((?P<role>[^()\n]{1,30})\))?[ ]*:(?=\s)[ \t]*",
    regex.MULTILINE,
)
_USER = frozenset({"user", "human", "customer"})
_ASSISTANT = frozenset({"assistant", "ai", "bot", "ai assistant", "chatbot", "agent"})


@dataclass(frozen=True, slots=True)
class Voice:
    """A party of the conversation. *who* as in `FoundEntity`; *names* are those it may be called by,
    *others* are further people who speak in the user's role."""

    name: str
    who: Literal["user", "assistant"] | None = None
    names: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()
    others: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Speech:
    """A part of the content by one speaker; *start* is where it begins."""

    text: str
    start: int
    speaker: Voice | None
    listener: Voice | None
    before: tuple[Turn, ...]


def user_voice(reading: Brief) -> Voice | None:
    """The owner of the graph, with every name the text may use."""
    profile = reading.user
    if profile is None:
        return None
    full = " ".join(filter(None, (profile.first_name, profile.last_name)))
    every = (profile.name, full, profile.first_name, profile.email, profile.user_id)
    names = frozenset(name.casefold() for name in every if name)
    return Voice(profile.name, "user", names, others=_others(reading, names))


def _others(reading: Brief, names: frozenset[str]) -> frozenset[str]:
    """Whoever else speaks in the user's role, under another name."""
    turns = [(turn.role, turn.speaker) for turn in reading.before]
    turns.append((reading.role, reading.speaker))
    said = {(name or "").strip() for role, name in turns if _is_user(role)}
    foreign = {name for name in said if name.casefold() not in names | _USER | {""}}
    both = len(foreign) < len(said - {""})
    return frozenset(one.casefold() for one in foreign if both or _is_another(one, reading.user))


def _is_another(name: str, user: Profile | None) -> bool:
    """Whether a name cannot be short for the user's: Tom, where the user is Nadia Haddad."""
    own = [part for part in (user.first_name, user.last_name) if part] if user is not None else []
    initials = {part[0].casefold() for part in own}
    return (
        name.istitle() and name.isalpha() and len(own) == 2 and name[0].casefold() not in initials
    )


def _is_user(role: str | None) -> bool:
    return (role or "").casefold() in _USER


def speeches(reading: Brief) -> list[Speech]:
    """The content cut by speaker. A text has no speaker; a message may be a transcript."""
    user = user_voice(reading)
    if reading.kind != "message":
        return [Speech(reading.content, 0, None, None, reading.before)]
    if reading.speaker is None and reading.role is None:
        cuts = _cuts(reading.content)
        if cuts:
            return _transcript(reading, cuts, user)
    turn = Turn(content=reading.content, role=reading.role, speaker=reading.speaker)
    return [_speech(turn, 0, reading.before, user, _addressee(reading, user))]


def _addressee(reading: Brief, user: Voice | None) -> Voice | None:
    """The addressee that the episode names."""
    if not (reading.addressee or "").strip():
        return None
    return voice(Turn(content="", speaker=reading.addressee), user)


def _cuts(content: str) -> list["regex.Match[str]"]:
    first = _PREFIX.match(content)
    if first is None:
        return []
    return [first, *(m for m in _PREFIX.finditer(content, first.end()) if _is_name(m))]


def _is_name(match: "regex.Match[str]") -> bool:
    """Whether it opens another turn: within a text it must look like a name."""
    name = match["name"]
    return bool(match["role"]) or name.casefold() in _USER | _ASSISTANT or name.istitle()


def _transcript(
    reading: Brief, cuts: Sequence["regex.Match[str]"], user: Voice | None
) -> list[Speech]:
    found: list[Speech] = []
    before = reading.before
    ends = [match.start() for match in cuts[1:]] + [len(reading.content)]
    for match, end in zip(cuts, ends, strict=True):
        text = reading.content[match.end() : end]
        turn = Turn(content=text, role=match["role"], speaker=match["name"])
        found.append(_speech(turn, match.end(), before, user))
        before = (*before, turn)
    return found


def _speech(
    turn: Turn,
    start: int,
    before: tuple[Turn, ...],
    user: Voice | None,
    addressee: Voice | None = None,
) -> Speech:
    speaker = voice(turn, user)
    others = (addressee, *(voice(item, user) for item in reversed(before)))
    listener = next((item for item in others if item is not None and item != speaker), None)
    if listener is None and speaker is not None:
        if speaker.who == "user":
            listener = Voice("Assistant", "assistant")
        elif speaker.who == "assistant":
            listener = user
    return Speech(turn.content, start, speaker, listener, before)


def voice(turn: Turn, user: Voice | None) -> Voice | None:
    """The speaker of a turn, by role and name."""
    name = (turn.speaker or "").strip()
    folded = name.casefold()
    role = (turn.role or "").casefold()
    if role in _ASSISTANT or (not role and folded in _ASSISTANT):
        return Voice(name or "Assistant", "assistant", frozenset({folded}))
    if (
        user is not None
        and folded not in user.others
        and (role in _USER or folded in _USER or folded in user.names)
    ):
        return _as_user(user, name)
    if name:
        return Voice(name, None, frozenset({folded, folded.split()[0]}))
    return Voice("User", None, frozenset({"user"})) if role in _USER else None


def _as_user(user: Voice, name: str) -> Voice:
    folded = name.casefold()
    if not name or folded in _USER or folded in user.names:
        return user
    return Voice(user.name, "user", user.names | {folded}, (name,), user.others)
