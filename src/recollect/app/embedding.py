"""Work that needs vectors: done in a thread, so that others are served meanwhile."""

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
    """Run *work* with the embedder, which is loaded for the first one that asks."""

    def run() -> T:
        return work(embedder.load(services.settings.models).passages, *args, **kwargs)

    return await asyncio.to_thread(run)


async def sentence_vector(services: Services, text: str | None) -> bytes | None:
    """The vector by which a corrected sentence is found; without models its words must do."""
    if text is None or services.settings.extraction == "off":
        return None
    return await embedding(services, _packed, text[:EPISODE_CHARS_MAX])


def _packed(embed: Embed, text: str) -> bytes:
    packed: bytes = embed([text])[0].astype("float16").tobytes()
    return packed
