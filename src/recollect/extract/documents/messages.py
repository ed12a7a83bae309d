"""The parts of a document that people wrote: messages of a conversation, and running text."""

import re
from collections.abc import Sequence
from datetime import datetime

import msgspec

from recollect.extract.brief import Brief, KnownName, Turn
from recollect.extract.documents import times, wording
from recollect.extract.documents.identity import first_text, is_user
from recollect.extract.documents.json_tree import JsonArray, JsonObject, JsonScalar
from recollect.extract.documents.keys import canonical, table
from recollect.graph.found import Found, FoundEntity
from recollect.graph.types import Record
from recollect.limits import TURNS_BEFORE_MAX

_SENTENCE = re.compile(r"[^\W\d_]{2,}[^.!?]*\s[^.!?]*[.!?](\s|$|\")")
_WORDS_MIN, _WORDS_SURE = 3, 8
_TEXT_WORDS_MIN = 5


class DocumentMessage(Record):
    """One turn of a conversation inside a document."""

    content: JsonScalar
    role: str | None
    speaker: str | None
    at: datetime | None


def is_prose(key: str, node: JsonScalar) -> bool:
    """Whether a value is running text."""
    if node.kind != "text":
        return False
    count = len(node.text.split())
    sentence = _SENTENCE.search(node.text) is not None
    if key in table().prose.keys:
        return count >= _TEXT_WORDS_MIN or (count >= _WORDS_MIN and sentence)
    return count >= _WORDS_SURE and sentence


def conversation(row: JsonArray, zone: str | None) -> list[DocumentMessage] | None:
    """The messages in a list; None if it is a list of something else."""
    found = [message(item, zone) for item in row.items if isinstance(item, JsonObject)]
    if not found or len(found) < len(row.items) or any(item is None for item in found):
        return None
    return [item for item in found if item is not None]


def message(thing: JsonObject, zone: str | None) -> DocumentMessage | None:
    """The object as a message, if it says who spoke and what was said."""
    fields = {canonical(key): node for key, node in thing.fields.items()}
    keys = table().prose
    content = next((fields[key] for key in keys.contents if key in fields), None)
    role = first_text(fields, keys.roles)
    speaker = first_text(fields, keys.speakers)
    if not isinstance(content, JsonScalar) or content.kind != "text" or not (role or speaker):
        return None
    period = times.read(fields, zone)
    moment = period.happened or period.created
    return DocumentMessage(
        content=content, role=role, speaker=speaker, at=moment.at if moment else period.seen
    )


def readings(messages: Sequence[DocumentMessage], reading: Brief) -> list[tuple[JsonScalar, Brief]]:
    """Each message as an episode of its own, with the messages before it."""
    before: list[Turn] = list(reading.before)
    found = []
    for item in messages:
        role, speaker = _voice(item, reading)
        turns = tuple(before[-TURNS_BEFORE_MAX:])
        part = msgspec.structs.replace(
            reading,
            kind="message",
            content=item.content.text,
            at=item.at or reading.at,
            role=role,
            speaker=speaker,
            before=turns,
        )
        found.append((item.content, part))
        before.append(Turn(content=item.content.text, role=role, speaker=speaker))
    return found


def speaker(message: DocumentMessage, reading: Brief) -> FoundEntity | None:
    """Who spoke."""
    role, name = _voice(message, reading)
    if role == "user" and reading.user is not None:
        return FoundEntity(name=reading.user.name, kind="person", who="user")
    if name is None:
        return None
    return FoundEntity(name=name, kind="person", who="assistant" if role == "assistant" else None)


def with_known_names(reading: Brief, entities: Sequence[FoundEntity]) -> Brief:
    """The same brief, with the names found in the rest of the document added to the known names."""
    names = {item.name for item in reading.known}
    more = (
        KnownName(name=entity.name, kind=entity.kind, label=entity.label)
        for entity in entities
        if entity.name not in names and entity.name in reading.content
    )
    return msgspec.structs.replace(reading, known=(*reading.known, *more))


def with_document_spans(found: Found, value: JsonScalar, text: str) -> Found:
    """Findings in a value, with their spans moved to positions in the whole document."""
    start, end = value.span
    verbatim = text[start + 1 : end - 1] == value.text

    def moved(span: tuple[int, int] | None) -> tuple[int, int]:
        if span is None or not verbatim:
            return value.span
        return span[0] + start + 1, span[1] + start + 1

    facts = (msgspec.structs.replace(fact, span=moved(fact.span)) for fact in found.facts)
    return msgspec.structs.replace(found, facts=tuple(facts))


def _voice(item: DocumentMessage, reading: Brief) -> tuple[str | None, str | None]:
    """The role and the name of a message's speaker. An unknown role, such as "support agent", is the name."""
    keys, role = table().prose, wording.joined(item.role or "")
    mine = item.speaker is not None and is_user(item.speaker, reading.user)
    if role in keys.users or mine:
        name = reading.user.name if reading.user else item.speaker
        return "user", name
    if role in keys.assistants:
        return "assistant", item.speaker
    if role in ("system", "function", "tool"):
        return role, item.speaker
    return "norole", item.speaker or (wording.spaced(role) or None)
