"""Summaries by one structured call of a language model: of a thread, or of a user."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from recollect.errors import ModelAnswerInvalid
from recollect.extract import prompts
from recollect.graph.types import Json, Record
from recollect.limits import SUMMARY_CHARS_MAX
from recollect.models.language_model import LanguageModel, Prompt

SUMMARY_PROMPT = "summary.v1"
_MARK_CHARS = 16


class SummaryAnswer(Record, forbid_unknown_fields=True):
    """The form of the model's answer."""

    summary: str


class Material(Record):
    """What a summary is written from; the same material gives the same request."""

    task: str
    questions: Sequence[str] = ()
    previous: str = ""
    facts: Sequence[Json] = ()
    messages: Sequence[Json] = ()


async def summarize(model: LanguageModel, material: Material) -> str:
    """The summary that a model writes, for exactly one call; an empty or overlong one is an error."""
    prompt = Prompt(system=prompts.load(SUMMARY_PROMPT), user=text(material))
    return await model.ask(prompt, SummaryAnswer, _checked)


def text(material: Material) -> str:
    """The blocks of a request, each inside marks that no text can know beforehand."""
    blocks = {
        "task": material.task,
        "questions": _json(material.questions),
        "previous": material.previous,
        "facts": _json(material.facts),
        "messages": _json(material.messages),
    }
    return marked(blocks)


def marked(blocks: Mapping[str, str]) -> str:
    """Blocks of text, each inside marks that no text can know beforehand; empty ones are left out."""
    mark = hashlib.sha256(msgspec.json.encode(blocks)).hexdigest()[:_MARK_CHARS]
    return "\n\n".join(
        f"<{name} {mark}>\n{content}\n</{name} {mark}>"
        for name, content in blocks.items()
        if content
    )


def _json(value: Sequence[Any]) -> str:
    return json.dumps(list(value), ensure_ascii=False, indent=1) if value else ""


def _checked(answer: SummaryAnswer) -> str:
    written = " ".join(answer.summary.split())
    if not written:
        raise ModelAnswerInvalid("summary: is empty")
    if len(written) > SUMMARY_CHARS_MAX:
        raise ModelAnswerInvalid(f"summary: longer than {SUMMARY_CHARS_MAX} characters")
    return written
