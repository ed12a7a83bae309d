"""What this release does not do yet says so: 501 and a message that names the method."""

import re
from typing import Any

import httpx
import pytest

from tests.contract.sdk.drivers import ClientError, Zep
from tests.contract.sdk.requirements import BASE_PATH, REQUIREMENTS, is_method, requirement
from tests.contract.sdk.support import NOBODY, a_thread, a_user, unique

PROJECT = {"project_id": NOBODY}

# The arguments a call cannot be made without, per method; path parameters are filled in by name.
NEEDED: dict[str, dict[str, Any]] = {
    "v2:memory.search_sessions": {"text": "tea"},
    "v2:memory.search": {"text": "tea"},
    "v2:document.search": {"text": "tea"},
    "v3:graph.detect_patterns": {"user_id": "u"},
    "v3:graph.get_subgraph": {"seed_node_uuids": [NOBODY], "user_id": "u"},
    "v3:user_group.attach_policy_set": {**PROJECT, "policy_set_uuid": NOBODY},
    "v3:user_group.detach_policy_set": PROJECT,
}

SEARCHES: dict[str, dict[str, Any]] = {
    "v2:graph.search:edges-scope": {"scope": "edges"},
    "v2:graph.search:nodes-scope": {"scope": "nodes"},
    "v2:graph.search:rerankers": {"scope": "episodes", "reranker": "mmr"},
    "v2:graph.search:filters": {"scope": "edges", "search_filters": {"edge_types": ["LIKES"]}},
    "v3:graph.search:edges-scope": {},
    "v3:graph.search:nodes-scope": {"scope": "nodes"},
    "v3:graph.search:observations-scope": {"scope": "observations"},
    "v3:graph.search:thread-summaries-scope": {"scope": "thread_summaries"},
    "v3:graph.search:auto-scope": {"scope": "auto"},
    "v3:graph.search:rerankers": {"scope": "episodes", "reranker": "cross_encoder"},
    "v3:graph.search:filters": {"scope": "nodes", "search_filters": {"node_labels": ["User"]}},
}

LEAF = {"property_name": "source", "comparison_operator": "=", "property_value": "crm"}
LISTS: dict[str, dict[str, Any]] = {
    "v3:graph.episode.list_by_user_id:filters": {
        "episode_metadata_filters": {"type": "and", "filters": [LEAF]}
    },
    "v3:graph.node.get_by_user_id:filters": {"filters": {"node_labels": ["User"]}},
    "v3:graph.edge.get_by_user_id:filters": {"filters": {"edge_types": ["LIKES"]}},
}

TEMPLATED = "v3:thread.get_user_context:template"
BEHAVIOURS = {*SEARCHES, *LISTS, TEMPLATED}

DEFERRED = sorted(name for name, entry in REQUIREMENTS.items() if entry.deferred)
DEFERRED_CALLS = [name for name in DEFERRED if is_method(name) or name in BEHAVIOURS]
# No 501 to show: ranking changes which facts a context tells, not how the call answers.
DEFERRED_QUIETLY = {
    "v2:memory.get:ranked-by-relevance",
    "v3:thread.get_user_context:ranked-by-relevance",
}


def path_names(http: str) -> list[str]:
    """The names of the parameters in a route's path."""
    return re.findall(r"\{(\w+)\}", http)


def a_template(py3: Zep) -> str:
    """A context template that could be filled in."""
    template_id = unique("template")
    py3.context.create_context_template(template_id=template_id, template="Known: %{edges}")
    return template_id


def through_the_client(py3: Zep, method: str, args: list[str], kwargs: dict[str, Any]) -> str:
    """Call a method of generation 3; answer the message of its 501."""
    with pytest.raises(ClientError) as raised:
        py3.call(method, tuple(args), kwargs, raw=False)
    assert raised.value.status == 501, str(raised.value)
    assert isinstance(raised.value.body, dict)
    message: str = raised.value.body["message"]
    return message


def over_http(http: httpx.Client, route: str, body: dict[str, Any]) -> str:
    """Send what generation 2 would, which repeats a 501 for 15 s; answer the message."""
    verb, path = re.sub(r"\{\w+\}", NOBODY, route).split(" ")
    answer = http.request(verb, path.removeprefix(BASE_PATH), json=body)
    assert answer.status_code == 501, answer.text
    message: str = answer.json()["message"]
    return message


@pytest.mark.parametrize("name", DEFERRED_CALLS)
@requirement(*DEFERRED)
def test_a_deferred_method_says_so_by_name(name: str, py3: Zep, http: httpx.Client) -> None:
    """The caller learns which method is not there yet, instead of getting an empty answer."""
    generation, method = name.split(":")[:2]
    route = REQUIREMENTS[f"{generation}:{method}"].http
    assert route is not None
    args, kwargs = [NOBODY] * len(path_names(route)), NEEDED.get(name, {})
    if name in SEARCHES:
        kwargs = {"query": "tea", "user_id": a_user(py3)["user_id"], **SEARCHES[name]}
    if name in LISTS:
        args, kwargs = [a_user(py3)["user_id"]], LISTS[name]
    if name == TEMPLATED:
        args, kwargs = [a_thread(py3)["thread_id"]], {"template_id": a_template(py3)}
    if generation == "v3":
        message = through_the_client(py3, method, args, kwargs)
    else:
        message = over_http(http, route, kwargs)
    assert (method if name not in LISTS else method.split(".")[1]) in message


@requirement(*DEFERRED)
def test_no_other_gap_is_silent() -> None:
    """Every gap but the ones named answers 501, so none can be mistaken for an answer."""
    assert set(DEFERRED) - set(DEFERRED_CALLS) == DEFERRED_QUIETLY
