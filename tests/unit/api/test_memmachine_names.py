"""A project of a memory client is one graph, and a graph is at most one project."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.episodic_memory import names
from recollect.episodic_memory.names import DEFAULT_ID, USERS_ORG, Name, graph_of, project_of
from recollect.errors import InvalidInput
from recollect.graph import checks

IDS = st.text(st.sampled_from("ab:_-É9٣語"), min_size=1, max_size=6)
ORGS = st.one_of(IDS, st.just(DEFAULT_ID), st.just(USERS_ORG))


@pytest.mark.parametrize(
    ("project", "graph"),
    [
        (("acme", "p1"), Name(kind="standalone", id="acme.p1")),
        ((DEFAULT_ID, "notes"), Name(kind="standalone", id="notes")),
        ((DEFAULT_ID, DEFAULT_ID), Name(kind="standalone", id=DEFAULT_ID)),
        (("acme", DEFAULT_ID), Name(kind="standalone", id="acme.universal")),
        ((USERS_ORG, "ann"), Name(kind="user", id="ann")),
        (("user:1", "größe"), Name(kind="standalone", id="user:1.größe")),
    ],
)
def test_a_project_and_its_graph_have_known_names(project: tuple[str, str], graph: Name) -> None:
    """Both ways."""
    assert graph_of(*project) == graph
    assert project_of(graph.kind, graph.id) == project


@given(ORGS, IDS)
def test_every_project_is_found_again_by_its_graph(org_id: str, project_id: str) -> None:
    """No two projects share a graph, and every name is one that a graph can have."""
    names.check(org_id, project_id)
    graph = graph_of(org_id, project_id)
    assert project_of(graph.kind, graph.id) == (org_id, project_id)
    checks.caller_id("graph_id", graph.id)


@given(st.text(st.sampled_from("ab.:_- @/é"), max_size=8))
def test_a_graph_is_named_here_only_if_that_name_leads_back(graph_id: str) -> None:
    """Other graphs cannot be asked for, and are not in lists."""
    found = project_of("standalone", graph_id)
    if found is not None:
        names.check(*found)
        assert graph_of(*found) == Name(kind="standalone", id=graph_id)


@pytest.mark.parametrize(
    "graph_id",
    ["a.b.c", ".p", "o.", ".", "", "a b", "a@b", "universal.p", f"{USERS_ORG}.ann"],
)
def test_some_graphs_have_no_name_here(graph_id: str) -> None:
    """Among them those that would be taken for another graph."""
    assert project_of("standalone", graph_id) is None


@pytest.mark.parametrize("user_id", ["ann@example.com", "a.b", "a b"])
def test_some_users_have_no_name_here(user_id: str) -> None:
    """No client could send it."""
    assert project_of("user", user_id) is None


@pytest.mark.parametrize("bad", ["", "a.b", "a/b", "a b", "a\n", "é!", "x" * 257])
@pytest.mark.parametrize("field", ["org_id", "project_id"])
def test_an_id_that_no_client_sends_is_refused_by_name(field: str, bad: str) -> None:
    """Whichever of the two it is."""
    with pytest.raises(InvalidInput, match=f"^{field}: "):
        names.check(**{"org_id": "o", "project_id": "p", field: bad})
