"""Reading an episode by one structured call of a language model."""

from typing import Any

from recollect.extract import prompts
from recollect.extract.brief import Brief
from recollect.extract.model import material
from recollect.extract.model.answer import Answer
from recollect.extract.model.interpret import interpret
from recollect.graph import predicates
from recollect.graph.found import Found
from recollect.graph.predicates import Predicates
from recollect.models import completions
from recollect.models.answer_schema import strict_schema
from recollect.models.language_model import LanguageModel, Prompt

__all__ = ["PROMPT", "ModelExtractor", "prompt", "read_answer", "schema"]

PROMPT = "episode.v1"


def prompt(brief: Brief, table: Predicates) -> Prompt:
    """What a model, or an agent in its place, is asked about one episode."""
    return Prompt(system=prompts.load(PROMPT), user=material.text(brief, table))


def schema() -> dict[str, Any]:
    """The JSON Schema of the answer."""
    return strict_schema(Answer)


def read_answer(raw: bytes, brief: Brief, table: Predicates, *, reader: str) -> Found:
    """What an answer says; ModelAnswerInvalid names the place at which it breaks a rule."""
    answer = completions.decoded(raw, Answer)
    return interpret(answer, brief, table, extractor=f"{reader}:{PROMPT}")


class ModelExtractor:
    """Reads one episode for one call; what comes back goes through the same reconciliation."""

    def __init__(self, model: LanguageModel, table: Predicates | None = None) -> None:
        self._model = model
        self._predicates = table or predicates.load()

    @property
    def is_down(self) -> bool:
        """Whether the last call got no answer, so that the next one probably gets none either."""
        return self._model.outage.is_on

    async def read(self, reading: Brief) -> Found:
        """Everything the episode says. An answer that breaks a rule is an error as a whole."""
        asked = prompt(reading, self._predicates)
        return await self._model.ask(asked, Answer, lambda answer: self._found(answer, reading))

    def _found(self, answer: Answer, reading: Brief) -> Found:
        return interpret(answer, reading, self._predicates, extractor=f"model:{PROMPT}")
