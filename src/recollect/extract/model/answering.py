"""An answer to a question by one structured call of a language model, from what was found for it."""

from collections.abc import Sequence

from recollect.errors import ModelAnswerInvalid
from recollect.extract import prompts
from recollect.extract.model.summarize import marked
from recollect.graph.types import Record
from recollect.limits import SUMMARY_CHARS_MAX
from recollect.models.language_model import LanguageModel, Prompt

ANSWER_PROMPT = "answer.v1"


class QuestionAnswer(Record, forbid_unknown_fields=True):
    """The form of the model's answer."""

    answer: str
    findings: list[int]


class Written(Record):
    """An answer, and the places in the list of findings that it rests on."""

    answer: str
    rests_on: tuple[int, ...]


async def answer(
    model: LanguageModel, question: str, findings: Sequence[str], guidance: str
) -> Written:
    """The answer that a model writes, for exactly one call; one out of form is an error."""
    listed = "\n".join(f"{number}. {line}" for number, line in enumerate(findings, start=1))
    blocks = {"question": question, "findings": listed or "none", "guidance": guidance}
    prompt = Prompt(system=prompts.load(ANSWER_PROMPT), user=marked(blocks))

    def checked(given: QuestionAnswer) -> Written:
        text = " ".join(given.answer.split())
        if not text:
            raise ModelAnswerInvalid("answer: is empty")
        if len(text) > SUMMARY_CHARS_MAX:
            raise ModelAnswerInvalid(f"answer: longer than {SUMMARY_CHARS_MAX} characters")
        known = [number - 1 for number in given.findings if 1 <= number <= len(findings)]
        return Written(answer=text, rests_on=tuple(dict.fromkeys(known)))

    return await model.ask(prompt, QuestionAnswer, checked)
