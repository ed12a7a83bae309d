"""The English pipeline: tokens, tags, lemmas, dependencies, names."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import ModelUnavailable
from recollect.models.manifest import PARSER

if TYPE_CHECKING:
    from spacy.language import Language


@cache
def load(models: Path) -> "Language":
    """The pipeline out of the folder of installed weights, loaded once per process."""
    import spacy  # half a second that only extraction should pay

    folder = PARSER.folder(models)
    if not (folder / "config.cfg").is_file():
        raise ModelUnavailable(
            f"the parser is not installed in {folder}; run `recollect models install`"
        )
    return spacy.load(folder)
