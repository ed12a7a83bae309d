"""Work that needs vectors: done in a thread, to keep the event loop free."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Concatenate, ParamSpec, TypeVar

from recollect.app.services import Services
from recollect.limits import EPISODE_CHARS_MAX
from recollect.models import embedder
from recollect.models.embedder import Vectors

P = ParamSpec("P")
T = TypeVar("T")
Embed = Callable[[Sequence[str]], Vectors]


async def embedding(
    services: Services,
    work: Callable[Concatenate[Embed, P], T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Run *work* with the embedder, which is loaded on first use."""

    def run() -> T:
        return work(embedder.load(services.settings.models).passages, *args, **kwargs)

    return await asyncio.to_thread(run)


async def sentence_vector(services: Services, text: str | None) -> bytes | None:
    """The search vector of a corrected sentence; None without models, where it is found by its words only."""
    if text is None or services.settings.extraction == "off":
        return None
    return await embedding(services, _packed, text[:EPISODE_CHARS_MAX])


def _packed(embed: Embed, text: str) -> bytes:
    packed: bytes = embed([text])[0].astype("float16").tobytes()
    return packed
