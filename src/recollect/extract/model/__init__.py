"""Reading an episode by one structured call of a language model."""

from recollect.extract import prompts
from recollect.extract.brief import Brief
from recollect.extract.model import material
from recollect.extract.model.answer import Answer
from recollect.extract.model.interpret import interpret
from recollect.graph import predicates
from recollect.graph.found import Found
from recollect.graph.predicates import Predicates
from recollect.models.language_model import LanguageModel, Prompt

__all__ = ["PROMPT", "ModelExtractor"]

PROMPT = "episode.v1"


class ModelExtractor:
    """Reads one episode for one call; what comes back goes through the same reconciliation."""

    def __init__(self, model: LanguageModel, table: Predicates | None = None) -> None:
        self._model = model
        self._predicates = table or predicates.load()

    async def read(self, reading: Brief) -> Found:
        """Everything the episode says. An answer that breaks a rule is an error as a whole."""
        prompt = Prompt(system=prompts.load(PROMPT), user=material.text(reading, self._predicates))
        return await self._model.ask(prompt, Answer, lambda answer: self._found(answer, reading))

    def _found(self, answer: Answer, reading: Brief) -> Found:
        return interpret(answer, reading, self._predicates, extractor=f"model:{PROMPT}")
