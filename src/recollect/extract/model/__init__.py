"""Reading an episode by one structured call of a language model, or by whoever answers the same.

`prompt` and `schema` are the whole question, and `read_answer` checks what came back: an agent that
answers them is held to what a model is held to.
"""

from typing import Any, Literal

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

PROMPT = "episode.v2"


def prompt(brief: Brief, table: Predicates) -> Prompt:
    """The rules and the material for one episode; the same brief gives the same text."""
    return Prompt(system=prompts.load(PROMPT), user=material.text(brief, table))


def schema() -> dict[str, Any]:
    """The JSON Schema of an answer; the same for every episode."""
    return strict_schema(Answer)


def read_answer(
    raw: bytes, brief: Brief, table: Predicates, *, reader: Literal["model", "agent"]
) -> Found:
    """What an answer says about the brief that was asked about. It keeps who read it, with the
    version of the prompt; ModelAnswerInvalid names the field it breaks at and says what is wrong."""
    answer = completions.decode(raw, Answer)
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
        question = prompt(reading, self._predicates)
        return await self._model.ask(question, Answer, lambda answer: self._found(answer, reading))

    def _found(self, answer: Answer, reading: Brief) -> Found:
        return interpret(answer, reading, self._predicates, extractor=f"model:{PROMPT}")
