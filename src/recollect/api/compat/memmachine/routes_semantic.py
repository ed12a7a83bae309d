"""What is known, as features of sets: reading, adding, correcting and removing them."""

from functools import partial

from recollect.api import waiting
from recollect.api.compat.memmachine import routes_categories, translate_features, wire
from recollect.api.compat.memmachine import wire_semantic as semantic
from recollect.api.compat.memmachine.refusing import reply_for
from recollect.api.embedding import Embed, embedding
from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.graph.predicates import Predicates
from recollect.graph.types import Access
from recollect.ingest import direct_results
from recollect.limits import EPISODE_CHARS_MAX
from recollect.memories import feature_writing, features, names
from recollect.memories.feature_writing import Added, Correction, NewFeature
from recollect.memories.features import Feature
from recollect.store.protocol import Transaction


def _add(
    tx: Transaction,
    access: Access,
    sent: semantic.AddFeature,
    new: NewFeature,
    predicates: Predicates,
) -> Added:
    graph = names.find(tx, access, sent.org_id, sent.project_id)
    return feature_writing.add(tx, access, graph, new, predicates)


async def add(call: Call) -> semantic.AddedFeature:
    """Add a feature to a set, and wait until it can be read, if that is soon."""
    sent: semantic.AddFeature = call.body
    new = translate_features.new_feature(sent)
    feature_writing.check(new)
    added = await call.services.store.write(_add, call.access, sent, new, call.services.predicates)
    return semantic.AddedFeature(feature_id=await _id_of(call, added))


async def _id_of(call: Call, added: Added) -> str:
    """The id of the fact that came of it: one that says the same may have been there."""
    task = added.receipt.task_uuid
    readable = call.access_for("memory.feature.get")
    if task is None or not await waiting.completed(call, task) or readable is None:
        return added.id
    done = await call.services.store.read(direct_results.outcome, readable, task)
    return done.facts[0].uuid if done.facts else added.id


def _get(tx: Transaction, access: Access, sent: semantic.GetFeature) -> Feature:
    graph = names.find(tx, access, sent.org_id, sent.project_id)
    return features.get(tx, access, graph, sent.feature_id)


async def get(call: Call) -> wire.SemanticFeature:
    """A feature by its id."""
    sent: semantic.GetFeature = call.body
    found = await call.services.store.read(_get, call.access, sent)
    return translate_features.feature(found, sent, citations=sent.load_citations)


def _update(
    tx: Transaction, access: Access, sent: semantic.UpdateFeature, change: Correction
) -> None:
    graph = names.find(tx, access, sent.org_id, sent.project_id)
    feature_writing.correct(tx, access, graph, sent.feature_id, change)


async def update(call: Call) -> Reply:
    """Correct a feature."""
    sent: semantic.UpdateFeature = call.body
    feature_writing.check_correction(translate_features.correction(sent, None))
    change = translate_features.correction(sent, await _vector(call, sent.value))
    await call.services.store.write(_update, call.access, sent, change)
    return Reply.nothing()


async def _vector(call: Call, value: str | None) -> bytes | None:
    """The vector by which a corrected value is found; without models its words must do."""
    if value is None or call.services.settings.extraction == "off":
        return None
    return await embedding(call.services, _packed, value[:EPISODE_CHARS_MAX])


def _packed(embed: Embed, text: str) -> bytes:
    packed: bytes = embed([text])[0].astype("float16").tobytes()
    return packed


def _delete(
    tx: Transaction, access: Access, sent: semantic.DeleteFeatures, uuids: list[str]
) -> None:
    graph = names.find(tx, access, sent.org_id, sent.project_id)
    features.delete(tx, access, graph, uuids)


async def delete(call: Call) -> Reply:
    """Remove features, all that are named or none; the episodes behind them stay."""
    sent: semantic.DeleteFeatures = call.body
    uuids = translate_features.wanted_ids(sent)
    await call.services.store.write(_delete, call.access, sent, uuids)
    call.services.store.scrub_soon()
    return Reply.nothing()


_route = partial(Route, "POST", refusal=reply_for)

ROUTES = [
    _route(
        "/memories/semantic/delete",
        "memory.feature.delete",
        delete,
        "Remove features",
        body=semantic.DeleteFeatures,
        status=204,
        erases=True,
    ),
    _route(
        "/memories/semantic/feature",
        "memory.feature.add",
        add,
        "Add a feature to a set",
        body=semantic.AddFeature,
        answer=semantic.AddedFeature,
        status=201,
    ),
    _route(
        "/memories/semantic/feature/get",
        "memory.feature.get",
        get,
        "Get a feature",
        body=semantic.GetFeature,
        answer=wire.SemanticFeature,
        reads=True,
    ),
    _route(
        "/memories/semantic/feature/update",
        "memory.feature.update",
        update,
        "Correct a feature",
        body=semantic.UpdateFeature,
        status=204,
    ),
    *routes_categories.ROUTES,
]
