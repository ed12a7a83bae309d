"""What is known, as memory clients are told it: features with citations, and how they are sorted."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.governance import keys
from recollect.ingest import rebuild
from tests.support import here
from tests.support.memory import Json, Memory, remembering

HERE = {"org_id": "acme", "project_id": "p1"}
NOBODY = "00000000-0000-7000-8000-000000000000"
GRAPH = "graph/acme.p1"


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """The application with an empty project `acme/p1`."""
    async with remembering(tmp_path / "data") as made:
        await made.send(201, "POST", "/projects", HERE)
        yield made


async def said(memory: Memory, *texts: str, **fields: Any) -> list[str]:
    """Messages of a user, read at once; their uuids."""
    messages = [{"content": text, "producer": "ann", **fields} for text in texts]
    answer = await memory.post("/memories", {**HERE, "messages": messages})
    await memory.learn()
    return [one["uid"] for one in answer["results"]]


async def listed(memory: Memory, *, key: str | None = None, **fields: Any) -> list[Json]:
    """The features of the project."""
    answer = await memory.post("/memories/list", {**HERE, "type": "semantic", **fields}, key=key)
    found: list[Json] = answer["content"]["semantic_memory"]
    return found


async def found(memory: Memory, query: str, *, key: str | None = None, **fields: Any) -> list[Json]:
    """The features that a question finds."""
    body = {**HERE, "query": query, "types": ["semantic"], **fields}
    content = (await memory.post("/memories/search", body, key=key))["content"]
    features: list[Json] = content["semantic_memory"]
    return features


async def ask(memory: Memory, path: str, status: int = 200, **fields: Any) -> Json:
    """One request about features; what it answers."""
    answer = await memory.send(status, "POST", f"/memories/semantic/{path}", {**HERE, **fields})
    told: Json = answer.json() if answer.body else {}
    return told


async def set_of(memory: Memory, **values: Any) -> str:
    """The id of a set."""
    body: dict[str, Any] = {"metadata_tags": sorted(values), "set_metadata": values}
    return str((await ask(memory, "set_id/get", **body))["set_id"])


async def added(memory: Memory, value: str = "Ann collects stamps", **fields: Any) -> str:
    """A feature that was written down and is taken in; its id."""
    body = {
        "set_id": await set_of(memory, producer_id="ann"),
        "category_name": "hobbies",
        "tag": "collecting",
        "feature": "collects",
        "value": value,
        **fields,
    }
    made = await ask(memory, "feature", 201, **body)
    await memory.learn()
    return str(made["feature_id"])


async def test_what_someone_says_is_known_with_the_message_that_says_it(memory: Memory) -> None:
    """A fact is a feature of whoever spoke, and cites the message."""
    first, second = await said(memory, "I live in Paris.", "I work at Acme Corp.")
    by_name = {one["feature_name"]: one for one in await listed(memory)}
    lives, works = by_name["lives_in"], by_name["works_at"]
    assert (lives["category"], lives["tag"]) == ("profile", "place")
    assert lives["value"] == "Ann lives in Paris"
    assert lives["metadata"]["citations"] == [first]
    assert lives["set_id"] == await set_of(memory, producer_id="ann")
    assert lives["metadata"]["other"]["subject"] == "ann"
    assert lives["metadata"]["other"]["invalid_at"] is None
    assert (works["tag"], works["metadata"]["citations"]) == ("work", [second])


async def test_only_what_holds_now_is_listed_and_found(memory: Memory) -> None:
    """A fact that another replaced is gone from lists and searches, and kept under its id."""
    await said(memory, "I live in Paris.", timestamp="2024-01-01T00:00:00Z")
    (old,) = await listed(memory)
    (uid,) = await said(memory, "I live in Rome.", timestamp="2024-05-01T00:00:00Z")
    (now,) = await listed(memory)
    assert (now["value"], now["metadata"]["citations"]) == ("Ann lives in Rome", [uid])
    assert [one["value"] for one in await found(memory, "Where does ann live?")] == [now["value"]]
    kept = await ask(memory, "feature/get", feature_id=old["metadata"]["id"])
    assert kept["metadata"]["other"]["invalid_at"] == "2024-05-01T00:00:00Z"


async def test_users_of_one_project_do_not_mix(memory: Memory) -> None:
    """Neither do their facts replace each other, nor does one see the other's by metadata."""
    unnamed: Json = {"producer": None}
    await said(memory, "I live in Paris.", **unnamed, metadata={"user_id": "u1"})
    await said(memory, "I live in Rome.", **unnamed, metadata={"user_id": "u2"})
    assert len(await listed(memory)) == 2
    for narrowed in (
        await listed(memory, filter="metadata.user_id='u1'"),
        await listed(memory, set_metadata={"user_id": "u1"}),
        await listed(memory, set_metadata={"producer_id": "u1"}),
        await found(memory, "Who lives where?", filter="metadata.user_id='u1'"),
        await found(memory, "Who lives where?", set_metadata={"user_id": "u1"}),
    ):
        assert [one["value"] for one in narrowed] == ["U1 lives in Paris"]
        assert narrowed[0]["set_id"] == await set_of(memory, user_id="u1")


async def test_pages_of_features_follow_each_other(memory: Memory) -> None:
    """Each feature is on one page, in the order it was learned."""
    await said(memory, "I live in Paris.", "I work at Acme Corp.", "I like tea.")
    whole = await listed(memory)
    assert len(whole) == 3
    pages = [await listed(memory, page_size=2, page_num=number) for number in range(3)]
    assert [len(page) for page in pages] == [2, 1, 0]
    assert [one for page in pages for one in page] == whole


async def test_an_unknown_project_knows_nothing_and_is_not_made(memory: Memory) -> None:
    """Reading never writes."""
    body = {"org_id": "acme", "project_id": "nowhere"}
    content = (await memory.post("/memories/list", {**body, "type": "semantic"}))["content"]
    assert content["semantic_memory"] == []
    assert (await memory.post("/memories/semantic/set_type/list", body)) == {"set_types": []}
    await memory.send(404, "POST", "/projects/get", body)


async def test_a_feature_that_was_added_reads_back_as_it_was_given(memory: Memory) -> None:
    """With its set, its category, what was said about it, and the messages it cites."""
    (uid,) = await said(memory, "Look at my new stamp album!")
    id_ = await added(memory, feature_metadata={"sure": 0.9}, citations=[uid])
    one = await ask(memory, "feature/get", feature_id=id_, load_citations=True)
    assert one["category"] == "hobbies"
    assert (one["tag"], one["feature_name"]) == ("collecting", "collects")
    assert one["value"] == "Ann collects stamps"
    assert one["set_id"] == await set_of(memory, producer_id="ann")
    assert (one["metadata"]["id"], one["metadata"]["citations"]) == (id_, [uid])
    assert one["metadata"]["other"]["sure"] == 0.9
    bare = await ask(memory, "feature/get", feature_id=id_)
    assert bare["metadata"]["citations"] is None
    assert id_ in {one["metadata"]["id"] for one in await found(memory, "stamps")}


async def test_the_same_feature_is_kept_once_and_another_category_twice(memory: Memory) -> None:
    """What says the same under another name is another feature."""
    one = await added(memory)
    again = await added(memory)
    other = await added(memory, category_name="money")
    ids = {feature["metadata"]["id"] for feature in await listed(memory)}
    assert ids == {one, other}
    assert again not in ids
    kept = await ask(memory, "feature/get", feature_id=again)
    assert kept["metadata"]["id"] == one
    await ask(memory, "delete", 204, semantic_ids=[one, again])
    assert [one["category"] for one in await listed(memory)] == ["money"]


async def test_a_feature_is_read_before_it_is_taken_in(memory: Memory) -> None:
    """Under the same id and with the same words as later; but it is not found yet."""
    (uid,) = await said(memory, "Look at my album!")
    new = {"category_name": "hobbies", "tag": "t", "feature": "collects", "value": "stamps"}
    of_ann = {"set_id": await set_of(memory, producer_id="ann"), "citations": [uid]}
    made = await ask(memory, "feature", 201, **new, **of_ann, feature_metadata={"a": 1})
    before = await ask(memory, "feature/get", **made, load_citations=True)
    assert await listed(memory) == []
    await memory.learn()
    after = await ask(memory, "feature/get", **made, load_citations=True)
    assert [after] == await listed(memory)
    del before["metadata"]["other"]["created_at"], after["metadata"]["other"]["created_at"]
    assert before == after


async def test_a_feature_of_a_set_is_found_by_the_metadata_of_the_set(memory: Memory) -> None:
    """A client that narrows every question to its user finds what it added for that user."""
    id_ = await added(memory, set_id=await set_of(memory, user_id="u1"))
    await added(memory, "u2 collects coins", set_id=await set_of(memory, user_id="u2"))
    (one,) = await listed(memory, filter="metadata.user_id='u1'")
    assert one["metadata"]["id"] == id_
    assert one["metadata"]["other"]["subject"] == "u1"


async def test_of_a_relation_of_which_there_is_one_the_later_is_known(memory: Memory) -> None:
    """What was added ends what was added before, and leaves alone what was learned."""
    await said(memory, "I live in Paris.", timestamp="2024-01-01T00:00:00Z")
    old = await added(memory, "ann lives in Oslo", feature="lives in")
    await added(memory, "ann lives in Rome", feature="lives in")
    known = {one["value"] for one in await listed(memory)}
    assert known == {"Ann lives in Paris", "ann lives in Rome"}
    ended = await ask(memory, "feature/get", feature_id=old)
    assert ended["metadata"]["other"]["invalid_at"] is not None


async def test_citations_must_be_episodes_of_the_project(memory: Memory) -> None:
    """What is not there cannot be cited, nor what another project holds."""
    elsewhere = await memory.tell("Bob likes tea.")
    body = {"set_id": await set_of(memory), "category_name": "c", "tag": "t", "feature": "f"}
    for cited in (elsewhere, NOBODY):
        await ask(memory, "feature", 404, **body, value="v", citations=[cited])
    await ask(memory, "feature", 422, **body, value="v", citations=["12"])
    assert await listed(memory) == []


async def test_a_deleted_episode_leaves_the_features_that_cited_it(memory: Memory) -> None:
    """What was written down stays, without the citation; what was only learned from it goes."""
    (uid,) = await said(memory, "I live in Paris.")
    id_ = await added(memory, citations=[uid])
    await memory.send(204, "POST", "/memories/episodic/delete", {**HERE, "episodic_id": uid})
    (left,) = await listed(memory)
    assert (left["metadata"]["id"], left["metadata"]["citations"]) == (id_, [])


async def test_a_feature_is_narrowed_by_what_it_cites(memory: Memory) -> None:
    """A cited message stands behind it like one that says it, also after everything is reread."""
    (uid,) = await said(memory, "Look at my album!", metadata={"topic": "stamps"})
    assert await listed(memory) == []  # what searches look at is made here, and kept up from now on
    id_ = await added(memory)
    assert await listed(memory, filter="metadata.topic='stamps'") == []
    await added(memory, citations=[uid])
    await said(memory, "I live in Paris.", metadata={"topic": "home"})

    async def about_stamps() -> list[tuple[str, list[str]]]:
        found = await listed(memory, filter="metadata.topic='stamps'")
        return [(one["metadata"]["id"], one["metadata"]["citations"]) for one in found]

    assert await about_stamps() == [(id_, [uid])]
    store = memory.running.services.store
    ((graph_id,),) = memory.running.rows("SELECT id FROM graphs WHERE graph_id = 'acme.p1'")
    before = await store.read(rebuild.digest, graph_id)
    await here.fold(store, graph_id)
    assert await store.read(rebuild.digest, graph_id) == before
    assert await about_stamps() == [(id_, [uid])]


async def test_a_copy_of_a_project_knows_and_sorts_the_same(memory: Memory) -> None:
    """With citations of the copy's own episodes."""
    (uid,) = await said(memory, "I live in Paris.")
    await added(memory, citations=[uid])
    kind = await ask(memory, "set_type", 201, metadata_tags=["producer_id"])
    for name, tag in (("home", "place"), ("more", "collecting")):
        made = await ask(memory, "category/template", 201, **kind, category_name=name, prompt="p")
        await ask(memory, "category/tag", 201, **made, tag_name=tag, tag_description="d")
    ends = {"source_graph_id": "acme.p1", "target_graph_id": "acme.p2"}
    await memory.post("/graph/clone", ends)
    old, new = await listed(memory), await listed(memory, project_id="p2")
    plain = ("category", "tag", "feature_name", "value")
    assert [[one[key] for key in plain] for one in new] == [
        [one[key] for key in plain] for one in old
    ]
    assert {one["category"] for one in new} == {"home", "hobbies"}
    cited = {tuple(one["metadata"]["citations"]) for one in new}
    assert len(cited) == 1
    assert cited.isdisjoint({(uid,), ()})


async def test_a_feature_is_corrected(memory: Memory) -> None:
    """What is given changes, the rest stays; also of what was learned."""
    id_ = await added(memory, feature_metadata={"a": "1", "b": "2"})
    change = {"value": "Ann collects coins", "tag": "coins", "metadata": {"b": "3"}}
    await ask(memory, "feature/update", 204, feature_id=id_, **change)
    one = await ask(memory, "feature/get", feature_id=id_)
    assert (one["category"], one["tag"], one["value"]) == ("hobbies", "coins", change["value"])
    assert (one["metadata"]["other"]["a"], one["metadata"]["other"]["b"]) == ("1", "3")
    await said(memory, "I live in Paris.")
    learned = next(one for one in await listed(memory) if one["tag"] == "place")
    learned_id = learned["metadata"]["id"]
    await ask(memory, "feature/update", 204, feature_id=learned_id, category_name="home")
    one = await ask(memory, "feature/get", feature_id=learned_id, load_citations=True)
    assert (one["category"], one["tag"]) == ("home", "place")
    assert one["metadata"]["citations"] == learned["metadata"]["citations"]


async def test_the_words_of_an_added_feature_go_with_it(memory: Memory) -> None:
    """Nobody could reach them any more; the episode that it cites stays."""
    (cited,) = await said(memory, "I went to the fair.")
    wanted = await added(memory, "Ann collects Penny Blacks", citations=[cited])
    await added(memory, "Ann collects coins")
    await ask(memory, "delete", 204, semantic_id=wanted)
    words = "SELECT count(*) FROM episodes WHERE instr(content, '{}')"
    assert memory.running.rows(words.format("Penny")) == [(0,)]
    assert memory.running.rows(words.format("fair")) == [(1,)]
    values = [one["value"] for one in await listed(memory)]
    assert "Ann collects coins" in values
    assert "Ann collects Penny Blacks" not in values


async def test_a_feature_can_be_deleted_before_it_is_taken_in(memory: Memory) -> None:
    """It never comes then; otherwise whoever was told that it is not there would find it later."""
    body = {"category_name": "c", "tag": "t", "feature": "f", "value": "Ann collects coins"}
    of_set = await set_of(memory, producer_id="ann")
    made = await ask(memory, "feature", 201, set_id=of_set, **body)
    await ask(memory, "delete", 204, semantic_id=made["feature_id"])
    await memory.learn()
    assert await listed(memory) == []
    await ask(memory, "feature/get", 404, feature_id=made["feature_id"])


async def test_features_are_deleted_all_or_none(memory: Memory) -> None:
    """One that is unknown keeps the others; the messages stay in any case."""
    await said(memory, "I live in Paris.", "I work at Acme Corp.")
    ids = [one["metadata"]["id"] for one in await listed(memory)]
    await ask(memory, "delete", 404, semantic_id="", semantic_ids=[*ids, NOBODY])
    assert len(await listed(memory)) == 2
    await ask(memory, "delete", 204, semantic_id=ids[0], semantic_ids=[])
    await ask(memory, "delete", 204, semantic_ids=ids[1:])
    assert await listed(memory) == []
    await ask(memory, "delete", 422, semantic_id="", semantic_ids=[])
    count = await memory.post("/projects/episode_count/get", HERE)
    assert count == {"count": 2}


async def test_edges_are_features_and_features_are_edges(memory: Memory) -> None:
    """One memory beneath: what one client writes, the other reads under its own name."""
    id_ = await added(memory)
    edge = await memory.get(f"/graph/edge/{id_}")
    assert (edge["fact"], edge["name"]) == ("Ann collects stamps", "COLLECTS")
    assert edge["attributes"]["feature_category"] == "hobbies"
    body = {
        "graph_id": "acme.p1",
        "fact": "Bob works at Acme",
        "fact_name": "WORKS_AT",
        "source_node_name": "Bob",
        "target_node_name": "Acme",
    }
    await memory.post("/graph/add-fact-triple", body)
    await memory.learn()
    one = next(one for one in await listed(memory) if one["value"] == "Bob works at Acme")
    assert (one["feature_name"], one["tag"]) == ("works_at", "work")
    assert one["set_id"] == await set_of(memory)
    await ask(memory, "delete", 204, semantic_id=one["metadata"]["id"])
    assert [edge["uuid"] for edge in await memory.listed("edge", GRAPH)] == [id_]


async def test_attributes_that_another_client_wrote_break_nothing(memory: Memory) -> None:
    """Whoever corrects an edge can write anything where a feature keeps its own."""
    id_ = await added(memory)
    junk = {"feature_set": "[[[", "feature_tag": 7, "feature_category": None}
    await memory.send(200, "PATCH", f"/graph/edge/{id_}", {"attributes": junk})
    (one,) = await listed(memory)
    assert (one["category"], one["tag"]) == ("profile", "7")
    assert one["set_id"] == await set_of(memory, producer_id="ann")


async def test_a_category_takes_what_was_learned_under_its_tags(memory: Memory) -> None:
    """Of its own set, and as a template in every set of its type."""
    await said(memory, "I live in Paris.", "I like tea.")
    of_ann = {"set_id": await set_of(memory, producer_id="ann")}
    made = await ask(memory, "category", 201, **of_ann, category_name="home", prompt="p")
    await ask(memory, "category/tag", 201, **made, tag_name="place", tag_description="d")
    kind = await ask(memory, "set_type", 201, metadata_tags=["producer_id"])
    tastes = {"category_name": "tastes", "prompt": "p"}
    made = await ask(memory, "category/template", 201, **kind, **tastes)
    tag = await ask(memory, "category/tag", 201, **made, tag_name="preference", tag_description="d")
    assert {one["tag"]: one["category"] for one in await listed(memory)} == {
        "place": "home",
        "preference": "tastes",
    }
    await ask(memory, "category/tag/delete", 204, **tag)
    assert {one["category"] for one in await listed(memory)} == {"home", "profile"}


async def test_a_disabled_category_no_longer_comes_back(memory: Memory) -> None:
    """For its set; of the project's own set, for everybody. Adding it anew brings it back."""
    await said(memory, "I live in Paris.", "I like tea.")
    await added(memory)
    of_ann = {"set_id": await set_of(memory, producer_id="ann")}
    of_bob = {"set_id": await set_of(memory, producer_id="bob")}
    await ask(memory, "category/disable", 204, **of_bob, category_name="profile")
    assert len(await listed(memory)) == 3
    await ask(memory, "category/disable", 204, **of_ann, category_name="profile")
    assert [one["category"] for one in await listed(memory)] == ["hobbies"]
    assert [one["category"] for one in await listed(memory, page_size=1)] == ["hobbies"]
    hits = await found(memory, "What does ann like, where does she live?", top_k=1)
    assert [one["category"] for one in hits] == ["hobbies"]
    own = {"set_id": await set_of(memory)}
    await ask(memory, "category/disable", 204, **own, category_name="hobbies")
    assert await listed(memory) == []
    await ask(memory, "category", 201, **of_ann, category_name="profile", prompt="p")
    assert {one["tag"] for one in await listed(memory)} == {"place", "preference"}


async def test_set_types_and_categories_are_listed_and_removed(memory: Memory) -> None:
    """What was defined is told again, once under each name, and is gone after its deletion."""
    named = {"name": "people", "description": "one for each"}
    made = await ask(memory, "set_type", 201, metadata_tags=["user_id"], **named)
    await ask(memory, "set_type", 409, metadata_tags=["user_id"])
    (entry,) = (await ask(memory, "set_type/list"))["set_types"]
    assert entry == {
        "id": made["set_type_id"],
        "is_org_level": False,
        "tags": ["user_id"],
        **named,
    }
    new = {"category_name": "food", "prompt": "what they eat"}
    category = await ask(memory, "category/template", 201, **made, **new)
    await ask(memory, "category/template", 409, **made, **new)
    (template,) = (await ask(memory, "category/template/list", **made))["categories"]
    assert template == {
        "id": category["category_id"],
        "name": "food",
        "origin_type": "set_type",
        "origin_id": made["set_type_id"],
        "inherited": False,
    }
    one = await ask(memory, "category/get", **category)
    assert one == {**category_fields(category), "name": "food", "prompt": "what they eat"}
    await ask(memory, "set_type/delete", 204, **made)
    await ask(memory, "category/get", 404, **category)
    await ask(memory, "set_type/delete", 404, **made)
    assert (await ask(memory, "set_type/list"))["set_types"] == []


def category_fields(category: Json) -> Json:
    """What a category answers besides what it was given."""
    return {"id": category["category_id"], "description": None}


async def test_the_sets_of_a_category_are_told(memory: Memory) -> None:
    """Its own, or for a template those of its type that something was said about."""
    of_u1 = {"set_id": await set_of(memory, user_id="u1")}
    own = await ask(memory, "category", 201, **of_u1, category_name="food", prompt="p")
    await ask(memory, "category", 409, **of_u1, category_name="food", prompt="p")
    assert (await ask(memory, "category/set_ids/get", **own))["set_ids"] == [of_u1["set_id"]]
    kind = await ask(memory, "set_type", 201, metadata_tags=["user_id"])
    new = {"category_name": "work", "prompt": "p"}
    template = await ask(memory, "category/template", 201, **kind, **new)
    assert (await ask(memory, "category/set_ids/get", **template))["set_ids"] == [of_u1["set_id"]]
    await ask(memory, "category/delete", 204, **own)
    assert (await ask(memory, "category/set_ids/get", **template))["set_ids"] == []
    await ask(memory, "category/delete", 404, **own)


async def test_sets_are_listed_for_the_values_that_make_them(memory: Memory) -> None:
    """The project's, the organisation's, and one of each type whose metadata is given."""
    pair = {"metadata_tags": ["session_id", "user_id"], "name": "sessions"}
    await ask(memory, "set_type", 201, **pair)
    values = {"user_id": "u1", "session_id": "s1"}
    sets = (await ask(memory, "set_id/list", set_metadata=values))["sets"]
    assert [(one["tags"], one["is_org_level"], one["name"]) for one in sets] == [
        ([], False, None),
        ([], True, None),
        (["session_id", "user_id"], False, "sessions"),
        (["user_id"], False, None),
    ]
    assert sets[0]["id"] == await set_of(memory)
    assert sets[2]["id"] == await set_of(memory, **values)
    assert len((await ask(memory, "set_id/list"))["sets"]) == 2


async def test_a_set_is_served_with_the_models_of_the_server(memory: Memory) -> None:
    """There is one of each, and no other can be chosen."""
    own = {"set_id": await set_of(memory)}
    resources = (await memory.get("/config/resources"))["embedders"]
    await ask(memory, "set/configure", 204, **own, embedder_name=resources[0]["name"])
    await ask(memory, "set/configure", 422, **own, embedder_name="another")
    await ask(memory, "set/configure", 422, **own, llm_name="another")
    await ask(memory, "set/configure", 404, set_id="set_x")


async def test_a_set_of_another_project_is_not_found(memory: Memory) -> None:
    """An id says which project its set is of."""
    elsewhere = {"org_id": "acme", "project_id": "p2", "metadata_tags": []}
    other = (await memory.post("/memories/semantic/set_id/get", elsewhere))["set_id"]
    new = {"category_name": "c", "prompt": "p", "tag": "t", "feature": "f", "value": "v"}
    for path in ("category", "category/disable", "feature", "set/configure"):
        for set_id in (other, "set_", "s", "set_W10", (await set_of(memory))[4:]):
            told = await ask(memory, path, 404, set_id=set_id, **new)
            assert told["detail"]["message"] == "set_id: not a set of this project"


async def test_what_is_unknown_is_not_found(memory: Memory) -> None:
    """Whatever kind of id it is, and whatever it looks like."""
    new = {"value": "v", "tag_name": "t", "tag_description": "d", "category_name": "c"}
    for path, field in (
        ("feature/get", "feature_id"),
        ("feature/update", "feature_id"),
        ("category/get", "category_id"),
        ("category/delete", "category_id"),
        ("category/set_ids/get", "category_id"),
        ("category/tag", "category_id"),
        ("category/tag/delete", "tag_id"),
        ("category/template", "set_type_id"),
        ("category/template/list", "set_type_id"),
        ("set_type/delete", "set_type_id"),
    ):
        for unknown in (NOBODY, "1", "x", "", "-1", "9" * 30, "\u00b2"):
            told = await ask(memory, path, 404, **new, prompt="p", **{field: unknown})
            assert told["detail"]["code"] == 404


async def test_bad_input_is_refused_by_name(memory: Memory) -> None:
    """With 422, and nothing is written."""
    before = memory.running.writes()
    nested = {"metadata_tags": ["a"], "set_metadata": {"a": {}}}
    several = {"metadata_tags": ["a"], "set_metadata": {"a": ["x"]}}
    for path, fields, named in (
        ("set_type", {"metadata_tags": []}, "metadata_tags"),
        ("set_type", {"metadata_tags": [" "]}, "metadata_tags"),
        ("set_id/get", {"metadata_tags": ["user_id"]}, "set_metadata"),
        ("set_id/get", several, "set_metadata.a"),
        ("set_id/get", nested, "set_metadata.a"),
        ("feature/update", {"feature_id": NOBODY, "value": " "}, "value"),
        ("feature/update", {"feature_id": NOBODY, "metadata": {"feature_set": "x"}}, "metadata"),
    ):
        told = await ask(memory, path, 422, **fields)
        assert told["detail"]["message"].startswith(named)
    assert memory.running.writes() == before


async def test_rows_go_with_their_project(memory: Memory) -> None:
    """A project that is deleted leaves no word of how it was sorted."""
    own = {"set_id": await set_of(memory)}
    made = await ask(memory, "category", 201, **own, category_name="food", prompt="p")
    await ask(memory, "category/tag", 201, **made, tag_name="t", tag_description="d")
    await ask(memory, "category/disable", 204, **own, category_name="work")
    kind = await ask(memory, "set_type", 201, metadata_tags=["user_id"])
    await ask(memory, "category/template", 201, **kind, category_name="c", prompt="p")
    await memory.delete("/graph/acme.p1")
    for table in ("set_types", "categories", "tags", "categories_off"):
        query = f"SELECT * FROM feature_{table}"  # noqa: S608
        assert memory.running.rows(query) == []


async def test_another_tenant_reaches_nothing_by_id(memory: Memory) -> None:
    """Ids are small numbers, and those of another tenant are not there."""
    own = {"set_id": await set_of(memory)}
    category = await ask(memory, "category", 201, **own, category_name="food", prompt="p")
    kind = await ask(memory, "set_type", 201, metadata_tags=["user_id"])
    feature = await added(memory)

    def make(tx: Any) -> str:
        keys.create_project(tx, "other")
        return keys.create_key(tx, "other", "k").secret

    other = await memory.running.services.store.write(make)
    await memory.send(201, "POST", "/projects", HERE, key=other)
    for path, fields in (
        ("category/get", category),
        ("category/delete", category),
        ("category/template/list", kind),
        ("set_type/delete", kind),
        ("feature/get", {"feature_id": feature}),
        ("delete", {"semantic_id": feature}),
    ):
        await memory.send(404, "POST", f"/memories/semantic/{path}", {**HERE, **fields}, key=other)
    assert await listed(memory, key=other) == []
    await ask(memory, "category/get", **category)


async def test_a_key_sees_the_features_of_what_it_may_see(memory: Memory) -> None:
    """What others say is neither listed nor found nor read nor cited nor deleted."""
    (hidden,) = await said(memory, "I live in Paris.", metadata={"team": "red"})
    (open_,) = await said(memory, "I like tea.", metadata={"team": "blue"})
    blue = {"effect": "allow", "attributes": {"team": ["blue"]}}
    reads = ["memory.list", "memory.search", "memory.feature.get", "memory.feature.delete"]
    writes = ["memory.feature.add", "memory.set.get"]
    key = await memory.key({**blue, "actions": [*reads, *writes]})
    (one,) = await listed(memory, key=key)
    assert (one["tag"], one["metadata"]["citations"]) == ("preference", [open_])
    assert "subject" not in one["metadata"]["other"]
    hits = await found(memory, "Where does ann live, what does she like?", key=key)
    assert [hit["metadata"]["id"] for hit in hits] == [one["metadata"]["id"]]
    lives = next(one for one in await listed(memory) if one["tag"] == "place")
    body = {**HERE, "feature_id": lives["metadata"]["id"]}
    await memory.send(404, "POST", "/memories/semantic/feature/get", body, key=key)
    body = {**HERE, "semantic_ids": [lives["metadata"]["id"]]}
    await memory.send(404, "POST", "/memories/semantic/delete", body, key=key)
    new = {"category_name": "c", "tag": "t", "feature": "f", "value": "v", "citations": [hidden]}
    body = {**HERE, "set_id": await set_of(memory), **new}
    await memory.send(404, "POST", "/memories/semantic/feature", body, key=key)
    assert len(await listed(memory)) == 2


async def test_a_key_is_not_told_of_sets_whose_values_it_may_not_see(memory: Memory) -> None:
    """The id of a set tells its values: that there is someone of them would be known by it."""
    sets = [await set_of(memory, team=team) for team in ("red", "blue")]
    new = {"category_name": "c", "prompt": "p"}
    ids = [(await ask(memory, "category", 201, set_id=one, **new))["category_id"] for one in sets]
    blue = {"effect": "allow", "attributes": {"team": ["blue"]}, "actions": ["readonly"]}
    key = await memory.key(blue)
    told = await memory.post("/memories/semantic/set_id/list", HERE, key=key)
    listed_ids = [one["id"] for one in told["sets"]]
    assert (sets[0] in listed_ids, sets[1] in listed_ids) == (False, True)
    assert {one["id"] for one in (await ask(memory, "set_id/list"))["sets"]} >= set(sets)
    for id_, expected in zip(ids, ([], sets[1:]), strict=True):
        body = {**HERE, "category_id": id_}
        told = await memory.post("/memories/semantic/category/set_ids/get", body, key=key)
        assert told == {"set_ids": expected}


@pytest.mark.parametrize("tags", [{}, {"producer_id": "user"}, {"user_id": "ann"}])
async def test_features_of_a_users_own_project_are_about_the_user(
    memory: Memory, tags: Json
) -> None:
    """Whoever names no producer there is the user."""
    own = {"org_id": "recollect:users", "project_id": "ann"}
    asked = {**own, "metadata_tags": sorted(tags), "set_metadata": tags}
    made = await memory.post("/memories/semantic/set_id/get", asked)
    new = {"category_name": "c", "tag": "t", "feature": "f", "value": "collects stamps"}
    await memory.send(201, "POST", "/memories/semantic/feature", {**own, **made, **new})
    await memory.learn()
    edges = await memory.listed("edge", "user/ann")
    (edge,) = [one for one in edges if one["fact"] == "collects stamps"]
    node = await memory.get(f"/graph/node/{edge['source_node_uuid']}")
    assert node["name"] == "Ann Lee"
