"""Reads an episode with one structured call to a language model, or through an agent.

`prompt` and `schema` are the whole request, and `read_answer` validates the reply: agents and models
have to follow the same rules.
"""

from typing import Any, Literal

from recollect.extract import prompts
from recollect.extract.brief import Brief
from recollect.extract.llm import material
from recollect.extract.llm.answer import Answer
from recollect.extract.llm.interpret import interpret
from recollect.graph import predicates
from recollect.graph.found import Found
from recollect.graph.predicates import Predicates
from recollect.models import completions
from recollect.models.completions import strict_schema
from recollect.models.language_model import LanguageModel, Prompt

__all__ = ["PROMPT", "ModelExtractor", "prompt", "read_answer", "schema"]

PROMPT = "episode.v2"


def prompt(brief: Brief, table: Predicates) -> Prompt:
    """The rules and the material for one episode; the same brief gives the same text."""
    return Prompt(system=prompts.load(PROMPT), user=material.prompt_text(brief, table))


def schema() -> dict[str, Any]:
    """The JSON Schema of an answer; the same for every episode."""
    return strict_schema(Answer)


def read_answer(
    raw: bytes, brief: Brief, table: Predicates, *, reader: Literal["model", "agent"]
) -> Found:
    """The findings of an answer to *brief*, marked with the reader and the version of the prompt.

    Raises ModelAnswerInvalid, which names the offending field.
    """
    answer = completions.decode(raw, Answer)
    return interpret(answer, brief, table, extractor=f"{reader}:{PROMPT}")


class ModelExtractor:
    """Reads an episode with one call; its findings are reconciled like any other reader's."""

    def __init__(self, model: LanguageModel, table: Predicates | None = None) -> None:
        self._model = model
        self._predicates = table or predicates.load()

    @property
    def is_down(self) -> bool:
        """Whether the last call got no answer, so that the next probably gets none either."""
        return self._model.outage.is_on

    async def read(self, reading: Brief) -> Found:
        """What the episode says. An answer that breaks one rule is rejected as a whole."""
        question = prompt(reading, self._predicates)
        return await self._model.ask(question, Answer, lambda answer: self._found(answer, reading))

    def _found(self, answer: Answer, reading: Brief) -> Found:
        return interpret(answer, reading, self._predicates, extractor=f"model:{PROMPT}")
