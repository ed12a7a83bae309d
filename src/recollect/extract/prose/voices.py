"""Who speaks and who listens, and which part of the text belongs to whom."""

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
_HEADERS = regex.compile(
    r"(?:^[ \t>]*(?:from|to|cc|bcc|sent|date|subject|reply-to):[^\n]*(?:\n|\Z)){2,}",
    regex.IGNORECASE | regex.MULTILINE,
)
_SENDER = regex.compile(r"^[ \t>]*from:(?P<who>[^\n]+)", regex.IGNORECASE | regex.MULTILINE)
_MAIL = regex.compile(r"^[ \t>]*subject:|@", regex.IGNORECASE | regex.MULTILINE)
_FORWARDED = regex.compile(
    r"[-_ \t]*(?:begin )?(?:forwarded|original) message[-_: \t]*", regex.IGNORECASE
)
_SIGNED = regex.compile(
    r"^(?:(?:best|kind|warm) (?:regards|wishes)|best|regards|cheers|(?:many )?thanks|yours(?: \w+)?"
    r"|sincerely)(?:[,!][ \t]*[\p{L}.]+(?: [\p{L}.]+)?|[,!]?)[ \t]*$",
    regex.IGNORECASE | regex.MULTILINE,
)
_GREETED = regex.compile(r"\s*(?:dear|hi|hello|hey|good \w+)\b[^\n.?!]{0,40}\n", regex.IGNORECASE)
_SIGNATURE_MAX = 300
_SIGNED_LINE_MAX = 40
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
    """Other people who speak in the user's role, under another name."""
    turns = [(turn.role, turn.speaker) for turn in reading.before]
    turns.append((reading.role, reading.speaker))
    said = {(name or "").strip() for role, name in turns if _is_user(role)}
    foreign = {name for name in said if name.casefold() not in names | _USER | {""}}
    both = len(foreign) < len(said - {""})
    return frozenset(one.casefold() for one in foreign if both or _is_another(one, reading.user))


def _is_another(name: str, user: Profile | None) -> bool:
    """Whether a name cannot be a form of the user's: "Tom", if the user is Nadia Haddad."""
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
    letters = _letters(reading.content)
    if letters:
        return _mailed(reading, letters, user)
    if reading.kind != "message":
        return [Speech(reading.content, 0, None, None, reading.before)]
    if reading.speaker is None and reading.role is None:
        cuts = _cuts(reading.content)
        if cuts:
            return _transcript(reading, cuts, user)
    content = _unsigned(reading.content) if _is_letter(reading.content) else reading.content
    turn = Turn(content=content, role=reading.role, speaker=reading.speaker)
    return [_speech(turn, 0, reading.before, user, _addressee(reading, user))]


def _letters(content: str) -> list["regex.Match[str]"]:
    """The headers of the e-mails in a text: lines with From, To, Subject and the like.

    From and To alone may be those of a journey.
    """
    heads = _HEADERS.finditer(content)
    return [head for head in heads if _SENDER.search(head[0]) and _MAIL.search(head[0])]


def _mailed(
    reading: Brief, heads: Sequence["regex.Match[str]"], user: Voice | None
) -> list[Speech]:
    """The text before a pasted e-mail, by the person who pasted it, and each e-mail, by its sender."""
    above = _without_rule(reading.content[: heads[0].start()])
    pasted = Turn(content=above, role=reading.role, speaker=reading.speaker)
    found = [_speech(pasted, 0, reading.before, user)] if above.strip() else []
    ends = [head.start() for head in heads[1:]] + [len(reading.content)]
    for head, end in zip(heads, ends, strict=True):
        body = _unsigned(_without_rule(reading.content[head.end() : end]))
        turn = Turn(content=body.lstrip(), speaker=_sender(head[0]))
        start = head.end() + len(body) - len(turn.content)
        found.append(_speech(turn, start, (), user))
    return found


def _sender(head: str) -> str:
    """The name in "From: Ada Berg <ada@example.com>", or the address where there is no name."""
    found = _SENDER.search(head)
    name, _, address = found["who"].partition("<") if found is not None else ("", "", "")
    return name.strip(" \t\"'") or address.strip(" \t>")


def _unsigned(letter: str) -> str:
    """An e-mail without its signature. "Thanks, Ana" before further sentences is not a signature."""
    for match in _SIGNED.finditer(letter, max(0, len(letter) - _SIGNATURE_MAX)):
        if all(len(line) <= _SIGNED_LINE_MAX for line in letter[match.start() :].splitlines()):
            return letter[: match.start()]
    return letter


def _is_letter(content: str) -> bool:
    """Whether a message has a greeting on a line of its own, and so may end with a signature."""
    return _GREETED.match(content) is not None


def _without_rule(text: str) -> str:
    """A text without the line that announces the e-mail below it."""
    above, _, last = text.rstrip().rpartition("\n")
    return above if _FORWARDED.fullmatch(last) else text


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
