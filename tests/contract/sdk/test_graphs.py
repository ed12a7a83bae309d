"""Standalone graphs of generation 3, groups seen as graphs, and word search over episodes."""

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    a_graph,
    a_group,
    a_user,
    bad_request,
    contents,
    eventually,
    missing,
    processed,
    refused,
    unique,
)


@requirement("v3:graph.create", "v3:graph.get")
def test_a_graph_reads_back_as_it_was_created(zep3: Zep) -> None:
    """Name, description and zone come back."""
    graph_id = unique("graph")
    given = {"graph_id": graph_id, "name": "Shop", "description": "Opening hours"}
    created = zep3.graph.create(**given, time_zone="Europe/Oslo")
    found = zep3.graph.get(graph_id)
    for answer in (created, found):
        assert {name: answer[name] for name in given} == given
        assert answer["time_zone"] == "Europe/Oslo"
        assert answer["created_at"]
    assert found["uuid"] == created["uuid"]


@requirement("v3:graph.create", "v3:errors:duplicate-is-400")
def test_creating_a_graph_twice_is_a_bad_request(zep3: Zep) -> None:
    """A second graph with the same id is refused."""
    graph = a_graph(zep3)
    with bad_request():
        zep3.graph.create(graph_id=graph["graph_id"])


@requirement("v3:graph.create:starts-empty")
def test_a_new_graph_is_empty(zep3: Zep) -> None:
    """Nothing is seeded for a standalone graph, unlike for a user."""
    graph_id = a_graph(zep3)["graph_id"]
    assert zep3.graph.node.get_by_graph_id(graph_id) == []
    assert zep3.graph.edge.get_by_graph_id(graph_id) == []
    assert zep3.graph.episode.get_by_graph_id(graph_id).get("episodes", []) == []


@requirement("v3:graph.update", "v3:transport:empty-body")
def test_updating_a_graph_changes_only_what_is_given(zep3: Zep) -> None:
    """Given fields change, the others stay, and an update of nothing changes nothing."""
    graph = a_graph(zep3, name="Old", description="Same")
    zep3.graph.update(graph["graph_id"], name="New")
    untouched = zep3.graph.update(graph["graph_id"])
    found = zep3.graph.get(graph["graph_id"])
    for answer in (untouched, found):
        assert answer["name"] == "New"
        assert answer["description"] == "Same"


@requirement("v3:graph.list_all")
def test_graphs_are_listed_in_pages_by_search_words(zep3: Zep) -> None:
    """The pages of a search hold each graph once, in the order asked for."""
    family = unique("family")
    made = [a_graph(zep3, graph_id=f"{family}-{number}")["graph_id"] for number in range(3)]
    seen = []
    for number in (1, 2):
        page = zep3.graph.list_all(
            page_number=number, page_size=2, search=family, order_by="graph_id", asc=True
        )
        assert page["total_count"] == 3
        assert page["row_count"] == len(page["graphs"])
        seen += [graph["graph_id"] for graph in page["graphs"]]
    assert seen == made


@requirement("v3:graph.list_all:standalone-only")
def test_the_graph_of_a_user_is_not_listed(zep3: Zep) -> None:
    """Only standalone graphs are in the list."""
    user = a_user(zep3)
    page = zep3.graph.list_all(page_number=1, page_size=10, search=user["user_id"])
    assert page.get("graphs", []) == []
    assert page["total_count"] == 0


@requirement("v3:graph.warm")
def test_warming_a_graph_is_acknowledged(zep3: Zep) -> None:
    """The hint is answered for a known graph and refused for an unknown one."""
    assert zep3.graph.warm(a_graph(zep3)["graph_id"])["message"]
    with missing():
        zep3.graph.warm(unique("nothing"))


@requirement("v3:graph.delete", "v3:graph.delete:cascades")
def test_deleting_a_graph_takes_its_episodes(zep3: Zep) -> None:
    """The graph and what was added to it are gone."""
    graph = a_graph(zep3)
    episode = zep3.graph.add(graph_id=graph["graph_id"], type="text", data="Open on Sundays.")
    processed(zep3, episode["uuid"])
    assert zep3.graph.delete(graph["graph_id"])["message"]
    with missing():
        zep3.graph.get(graph["graph_id"])
    with refused(404):
        zep3.graph.episode.get(episode["uuid"])


@requirement("v3:errors:404-is-typed")
def test_an_unknown_graph_is_not_found(zep3: Zep) -> None:
    """Reading, changing and deleting an unknown graph raise the client's NotFoundError."""
    nothing = unique("nothing")
    for call in (
        lambda: zep3.graph.get(nothing),
        lambda: zep3.graph.update(nothing, name="X"),
        lambda: zep3.graph.delete(nothing),
    ):
        with missing():
            call()


@requirement("shared:group-is-graph")
def test_a_group_is_a_graph_to_the_other_generation(zep2: Zep, zep3: Zep) -> None:
    """One thing under two names: each generation reads and fills what the other made."""
    group = a_group(zep2, name="Support")
    assert zep3.graph.get(group["group_id"])["name"] == "Support"
    zep2.graph.add(group_id=group["group_id"], type="text", data="From generation 2.")
    zep3.graph.add(graph_id=group["group_id"], type="text", data="From generation 3.")
    expected = {"From generation 2.", "From generation 3."}
    for listed in (
        zep2.graph.episode.get_by_group_id(group["group_id"], lastn=5),
        zep3.graph.episode.get_by_graph_id(group["group_id"], lastn=5),
    ):
        assert set(contents(listed["episodes"])) == expected
    graph = a_graph(zep3, name="Shop")
    assert zep2.group.get_group(graph["graph_id"])["name"] == "Shop"


@requirement("v2:graph.search")
def test_generation_2_finds_episodes_by_their_words(zep2: Zep) -> None:
    """A search over episodes puts those with the word first and leaves out other graphs."""
    user, other = a_user(zep2)["user_id"], a_user(zep2)["user_id"]
    word = unique("quokka").replace("-", "")
    for user_id, text in ((user, f"A {word} came by."), (user, "Rain."), (other, f"{word}!")):
        processed(zep2, zep2.graph.add(user_id=user_id, type="text", data=text)["uuid"])
    found = eventually(
        lambda: zep2.graph.search(user_id=user, query=word, scope="episodes").get("episodes", []),
        bool,
    )
    assert contents(found)[0] == f"A {word} came by."
    assert set(contents(found)) <= {f"A {word} came by.", "Rain."}


@requirement("v3:graph.search")
def test_generation_3_finds_episodes_by_their_words(zep3: Zep) -> None:
    """A search over episodes puts those with the word first, and no more than asked for."""
    graph_id = a_graph(zep3)["graph_id"]
    word = unique("quokka").replace("-", "")
    for text in (f"A {word} came by.", f"The {word} left.", "Rain."):
        processed(zep3, zep3.graph.add(graph_id=graph_id, type="text", data=text)["uuid"])
    found = eventually(
        lambda: zep3.graph.search(graph_id=graph_id, query=word, scope="episodes")["episodes"],
        lambda episodes: len(episodes) >= 2,
    )
    assert set(contents(found)[:2]) == {f"A {word} came by.", f"The {word} left."}
    one = zep3.graph.search(graph_id=graph_id, query=word, scope="episodes", limit=1)
    assert len(one["episodes"]) == 1


@requirement("v2:graph.search:one-target")
def test_generation_2_searches_exactly_one_graph(zep2: Zep) -> None:
    """Neither a user nor a group, or both, is the client's BadRequestError."""
    user, group = a_user(zep2)["user_id"], a_group(zep2)["group_id"]
    with bad_request():
        zep2.graph.search(query="rain", scope="episodes")
    with bad_request():
        zep2.graph.search(query="rain", scope="episodes", user_id=user, group_id=group)


@requirement("v3:graph.search:one-target")
def test_generation_3_searches_exactly_one_graph(zep3: Zep) -> None:
    """Neither a user nor a graph, or both, is the client's BadRequestError."""
    user, graph = a_user(zep3)["user_id"], a_graph(zep3)["graph_id"]
    with bad_request():
        zep3.graph.search(query="rain", scope="episodes")
    with bad_request():
        zep3.graph.search(query="rain", scope="episodes", user_id=user, graph_id=graph)
