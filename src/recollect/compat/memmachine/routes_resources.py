"""What the server is made of, as MemMachine's clients ask for it; models are the operator's to choose."""

from functools import partial

from recollect.api.router import Call, Route
from recollect.compat.memmachine import resources
from recollect.compat.memmachine import wire_config as config
from recollect.compat.memmachine.errors import reply_for
from recollect.compat.memmachine.resources import Noun
from recollect.errors import NotOffered

_CHOSEN_BY_OPERATOR = (
    "models are chosen by the operator of this server: the embedder and the reranker are built "
    "in, a language model is named by RECOLLECT_LLM_URL and RECOLLECT_LLM_MODEL"
)


async def get_resources(call: Call) -> config.Resources:
    """What the server is made of, and whether it can be used just now."""
    return await resources.look(call.services)


async def refuse(call: Call) -> None:
    """Not offered: nobody but the operator chooses models."""
    raise NotOffered(_CHOSEN_BY_OPERATOR)


async def _retry(call: Call, noun: Noun) -> config.Tried:
    found = await resources.retry(call.services, noun, call.path["name"])
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
