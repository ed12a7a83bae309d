"""What is asked about a conversation as a whole: its class, the fields of a schema, a summary, its last
question. Nothing of it is kept, except a class if that is wanted."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from recollect.app import threads as app_threads
from recollect.app.embedding import Embed, embedding
from recollect.app.refs import ThreadRef
from recollect.app.services import Services
from recollect.app.threads import Messages
from recollect.extract import sessions
from recollect.extract.brief import Turn
from recollect.graph.types import Access, Episode
from recollect.limits import (
    SESSION_MESSAGES_DEFAULT,
    SESSION_MESSAGES_MAX,
    SESSION_SUMMARY_CHARS_MAX,
)
from recollect.records import threads


async def _last(services: Services, access: Access, thread_id: str, count: int | None) -> Messages:
    wanted = min(count or SESSION_MESSAGES_DEFAULT, SESSION_MESSAGES_MAX)
    ref = ThreadRef(thread_id=thread_id)
    return await app_threads.last_messages(services, access, ref, wanted)


def _turns(messages: Sequence[Episode]) -> list[Turn]:
    return [Turn(content=m.content, role=m.role, speaker=m.speaker) for m in messages]


async def classify(
    services: Services,
    access: Access,
    thread_id: str,
    classes: Sequence[str],
    instruction: str | None,
    *,
    last_n: int | None,
    keep_as: str | None,
) -> str | None:
    """The class that the last messages of a thread are nearest to, kept with the thread under
    *keep_as* if given; None while nothing was said."""
    said = (await _last(services, access, thread_id, last_n)).messages
    if not said:
        return None
    text = "\n".join(message.content for message in said)
    found = await embedding(services, _nearest, text, classes, instruction)
    if keep_as is not None:
        await services.store.write(threads.put_class, access, thread_id, keep_as, found)
    return found


def _nearest(embed: Embed, text: str, classes: Sequence[str], instruction: str | None) -> str:
    return sessions.classify_text(text, classes, instruction, embed)


async def extract_fields(
    services: Services,
    access: Access,
    thread_id: str,
    schema: str,
    *,
    last_n: int | None,
    at: datetime | None,
    validate: bool,
) -> dict[str, Any]:
    """The values that a thread gives for the fields of a schema."""
    sessions.read_schema(schema)
    said = (await _last(services, access, thread_id, last_n)).messages
    return await asyncio.to_thread(
        sessions.extract_fields,
        schema,
        _turns(said),
        at=at or services.clock(),
        validate=validate,
    )


async def summarize(services: Services, access: Access, thread_id: str) -> tuple[Messages, str]:
    """The messages of a thread, and what was said in them in a few of their own sentences."""
    found = await _last(services, access, thread_id, SESSION_MESSAGES_MAX)
    if not found.messages:
        return found, ""
    return found, await embedding(services, _summary, _turns(found.messages))


def _summary(embed: Embed, turns: Sequence[Turn]) -> str:
    return sessions.summarize(turns, SESSION_SUMMARY_CHARS_MAX, embed)


async def last_question(
    services: Services, access: Access, thread_id: str, last_n: int | None
) -> str:
    """The last question of a thread, put so that it can be understood by itself."""
    said = (await _last(services, access, thread_id, last_n)).messages
    return await asyncio.to_thread(sessions.synthesize_question, _turns(said))
