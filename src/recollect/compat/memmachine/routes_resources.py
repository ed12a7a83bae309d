"""The server's models and stores as MemMachine's clients see them; models are the operator's choice."""

import asyncio
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from recollect.api.router import Call, Route
from recollect.app.services import Services
from recollect.compat.memmachine import wire_config as config
from recollect.compat.memmachine.errors import reply_for
from recollect.compat.memmachine.wire_config import Resource, Resources
from recollect.errors import NotFound, NotOffered, RecollectError
from recollect.models import cross_encoder, embedder, weights
from recollect.models.manifest import CROSS_ENCODER, EMBEDDER, Weight
from recollect.settings import Settings

Noun = Literal["embedders", "language_models", "rerankers"]
EMBEDDER_NAME = EMBEDDER.name
RERANKER_NAME = CROSS_ENCODER.name
DATABASE_NAME = "recollect"
STORAGE = "sqlite"
_EMBEDDER_PROVIDER = "sentence-transformer"
_RERANKER_PROVIDER = "cross-encoder"
_LANGUAGE_MODEL_PROVIDER = "openai-chat-completions"
_PROBE_S = 2.0
_UNADDRESSABLE = re.compile(r"[/\\?#%\s]")  # clients put the name into a path unescaped
_PORTS = {"http": 80, "https": 443}


def language_model_name(settings: Settings) -> str | None:
    """The name of the language model here; None if none is configured."""
    model = settings.llm_model
    return None if model is None else _UNADDRESSABLE.sub(":", model)


async def look(services: Services) -> Resources:
    """All resources, and whether each can be used now."""
    models = services.settings.models
    return Resources(
        embedders=[await _weights(EMBEDDER, _EMBEDDER_PROVIDER, models)],
        language_models=await _language_models(services.settings),
        rerankers=[await _weights(CROSS_ENCODER, _RERANKER_PROVIDER, models)],
        databases=[Resource(name=DATABASE_NAME, provider=STORAGE, status="ready")],
    )


async def retry(services: Services, noun: Noun, name: str) -> Resource:
    """Check one resource again; raises NotFound if there is none of that name."""
    models = services.settings.models
    if noun == "embedders" and name == EMBEDDER_NAME:
        return await _load(name, _EMBEDDER_PROVIDER, embedder.load, models)
    if noun == "rerankers" and name == RERANKER_NAME:
        return await _load(name, _RERANKER_PROVIDER, cross_encoder.load, models)
    if noun == "language_models" and name == language_model_name(services.settings):
        (found,) = await _language_models(services.settings)
        return found
    raise NotFound(f"there is no {name!r} among the {noun.replace('_', ' ')} of this server")


async def _weights(weight: Weight, provider: str, models: Path) -> Resource:
    (state,) = await asyncio.to_thread(weights.check, models, weights=[weight])
    if state.state == "present":
        return Resource(name=weight.name, provider=provider, status="ready")
    error = f"its weights are {state.state}: run `recollect models install`"
    return Resource(name=weight.name, provider=provider, status="failed", error=error)


async def _load(name: str, provider: str, load: Callable[[Path], object], models: Path) -> Resource:
    try:
        await asyncio.to_thread(load, models)
    except RecollectError:
        error = "it cannot be loaded: run `recollect models install`"
        return Resource(name=name, provider=provider, status="failed", error=error)
    return Resource(name=name, provider=provider, status="ready")


async def _language_models(settings: Settings) -> list[Resource]:
    name = language_model_name(settings)
    if name is None or settings.llm_url is None:
        return []
    error = await _unreachable(settings.llm_url)
    status: Literal["ready", "failed"] = "ready" if error is None else "failed"
    provider = _LANGUAGE_MODEL_PROVIDER
    return [Resource(name=name, provider=provider, status=status, error=error)]


async def _unreachable(url: str) -> str | None:
    """Why an address does not accept connections; None if it does. Costs no tokens."""
    parts = urlsplit(url)
    port = parts.port or _PORTS[parts.scheme]
    try:
        async with asyncio.timeout(_PROBE_S):
            _, writer = await asyncio.open_connection(parts.hostname, port)
    except (OSError, TimeoutError):
        return "its endpoint cannot be reached"
    writer.close()
    return None


_CHOSEN_BY_OPERATOR = (
    "models are chosen by the operator of this server: the embedder and the reranker are built "
    "in, a language model is named by RECOLLECT_LLM_URL and RECOLLECT_LLM_MODEL"
)


async def get_resources(call: Call) -> config.Resources:
    """What the server is made of, and whether it can be used just now."""
    return await look(call.services)


async def refuse(call: Call) -> None:
    """Not offered: nobody but the operator chooses models."""
    raise NotOffered(_CHOSEN_BY_OPERATOR)


async def _retry(call: Call, noun: Noun) -> config.Tried:
    found = await retry(call.services, noun, call.path["name"])
    return config.Tried(success=found.status == "ready", status=found.status, error=found.error)


async def retry_embedder(call: Call) -> config.Tried:
    """Try to load the embedder."""
    return await _retry(call, "embedders")


async def retry_reranker(call: Call) -> config.Tried:
    """Try to load the reranker."""
    return await _retry(call, "rerankers")


async def retry_language_model(call: Call) -> config.Tried:
    """Try to reach the language model."""
    return await _retry(call, "language_models")


_route = partial(Route, refusal=reply_for)
_try = partial(_route, "POST", action="memory.resources.retry", answer=config.Tried, reads=True)
_add = partial(
    _route,
    "POST",
    action="memory.resources.add",
    handler=refuse,
    body=config.AddResource,
    answer=config.Tried,
)
_remove = partial(
    _route,
    "DELETE",
    action="memory.resources.delete",
    handler=refuse,
    answer=config.Updated,
)

ROUTES = [
    _route(
        "GET",
        action="memory.resources.get",
        path="/config/resources",
        handler=get_resources,
        summary="What the server is made of",
        answer=config.Resources,
    ),
    _try(
        path="/config/resources/embedders/{name}/retry",
        handler=retry_embedder,
        summary="Try the embedder anew",
    ),
    _try(
        path="/config/resources/language_models/{name}/retry",
        handler=retry_language_model,
        summary="Try the language model anew",
    ),
    _try(
        path="/config/resources/rerankers/{name}/retry",
        handler=retry_reranker,
        summary="Try the reranker anew",
    ),
    _add(path="/config/resources/embedders", summary="Not offered: adding an embedder"),
    _add(
        path="/config/resources/language_models",
        summary="Not offered: adding a language model",
    ),
    _remove(
        path="/config/resources/embedders/{name}",
        summary="Not offered: deleting an embedder",
    ),
    _remove(
        path="/config/resources/language_models/{name}",
        summary="Not offered: deleting a language model",
    ),
]
