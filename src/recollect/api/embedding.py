"""Requests that need vectors: made in a thread, so that others are answered meanwhile."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Concatenate, ParamSpec, TypeVar

from recollect.bootstrap import Services
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
