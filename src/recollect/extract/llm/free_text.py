"""Text written by a language model, one structured call each: summaries, and answers to questions."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.errors import ModelAnswerInvalid
from recollect.extract import prompts
from recollect.graph.types import Json, Record
from recollect.limits import SUMMARY_CHARS_MAX
from recollect.models.language_model import LanguageModel, Prompt

SUMMARY_PROMPT = "summary.v1"
ANSWER_PROMPT = "answer.v1"


class SummaryAnswer(Record, forbid_unknown_fields=True):
    """The shape of the model's reply."""

    summary: str


class Material(Record):
    """What a summary is written from. Equal material gives equal requests."""

    task: str
    questions: Sequence[str] = ()
    previous: str = ""
    facts: Sequence[Json] = ()
    messages: Sequence[Json] = ()


async def summarize(model: LanguageModel, material: Material) -> str:
    """A summary, written with exactly one call; an empty or overlong one is an error."""
    prompt = Prompt(system=prompts.load(SUMMARY_PROMPT), user=summary_prompt(material))
    return await model.ask(prompt, SummaryAnswer, _checked)


def summary_prompt(material: Material) -> str:
    """The prompt for a summary of *material*."""
    blocks = {
        "task": material.task,
        "questions": _json(material.questions),
        "previous": material.previous,
        "facts": _json(material.facts),
        "messages": _json(material.messages),
    }
    return marked(blocks)


def marked(blocks: Mapping[str, str]) -> str:
    """The blocks that are not empty, each between marks that no text can guess."""
    mark = prompts.mark(blocks)
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


class QuestionAnswer(Record, forbid_unknown_fields=True):
    """The shape of the model's reply."""

    answer: str
    findings: list[int]


class WrittenAnswer(Record):
    """An answer, and the positions of the findings it rests on."""

    answer: str
    rests_on: tuple[int, ...]


async def answer_question(
    model: LanguageModel, question: str, findings: Sequence[str], guidance: str
) -> WrittenAnswer:
    """An answer from what was found, written with exactly one call."""
    listed = "\n".join(f"{number}. {line}" for number, line in enumerate(findings, start=1))
    blocks = {"question": question, "findings": listed or "none", "guidance": guidance}
    prompt = Prompt(system=prompts.load(ANSWER_PROMPT), user=marked(blocks))

    def checked(given: QuestionAnswer) -> WrittenAnswer:
        text = " ".join(given.answer.split())
        if not text:
            raise ModelAnswerInvalid("answer: is empty")
        if len(text) > SUMMARY_CHARS_MAX:
            raise ModelAnswerInvalid(f"answer: longer than {SUMMARY_CHARS_MAX} characters")
        known = [number - 1 for number in given.findings if 1 <= number <= len(findings)]
        return WrittenAnswer(answer=text, rests_on=tuple(dict.fromkeys(known)))

    return await model.ask(prompt, QuestionAnswer, checked)
