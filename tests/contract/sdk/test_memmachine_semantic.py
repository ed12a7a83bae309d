"""Features through the MemMachine client: learned or written, in sets, categories and tags."""

from typing import Any

import httpx
import pytest

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.memmachine import Place, raises, told
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import NOBODY, eventually

Json = dict[str, Any]
DIET = {"category_name": "diet", "prompt": "What somebody eats."}
RYE = {"category_name": "diet", "tag": "bread", "feature": "favourite bread"}


@pytest.fixture
def made(place: Place) -> Place:
    """An empty project."""
    place.mm.client.create_project(place.org_id, place.project_id)
    return place


def of_user(place: Place, user_id: str = "u1") -> str:
    """The set of one user."""
    set_id: str = place.memory().get_semantic_set_id(
        metadata_tags=["user_id"], set_metadata={"user_id": user_id}
    )
    return set_id


def features(place: Place, **options: Any) -> list[Json]:
    """The features a list answers."""
    page = place.memory().list(memory_type="semantic", **options)["content"]["semantic_memory"]
    assert isinstance(page, list)
    return page


def values(found: list[Json]) -> list[str]:
    """What features say."""
    return [feature["value"] for feature in found]


def written(place: Place, value: str, **fields: Any) -> str:
    """A feature written down; its id."""
    told_ = {"set_id": of_user(place), **RYE, "value": value, **fields}
    feature_id: str = place.memory().add_feature(**told_)
    return feature_id


@requirement("mm:semantic:facts", "mm:semantic:citations", "mm:semantic:other-clients")
def test_what_was_learned_is_a_feature_that_cites_its_episode(place: Place, py3: Zep) -> None:
    """It is listed with its producer's set, and is a fact to the other clients."""
    memory = place.memory()
    (added,) = memory.add("I live in Berlin and I work at Siemens.", producer="Jane Smith")
    found = eventually(
        lambda: features(place), lambda page: any("Berlin" in one["value"] for one in page)
    )
    berlin = next(one for one in found if "Berlin" in one["value"])
    assert all(one[name] for one in found for name in ("category", "tag", "feature_name", "set_id"))
    whole = memory.get_feature(berlin["metadata"]["id"], load_citations=True)
    assert whole["value"] == berlin["value"]
    assert whole["metadata"]["citations"] == [added["uid"]]
    facts = [edge["fact"] for edge in py3.graph.edge.get_by_graph_id(place.graph_id)]
    assert berlin["value"] in facts


@requirement("mm:semantic:search")
def test_a_search_answers_the_features_that_fit(place: Place) -> None:
    """Beside the episodes, with the same limit."""
    memory = place.memory()
    memory.add("I am allergic to peanuts.", producer="Jane Smith")
    memory.add("I play the cello.", producer="Jane Smith")

    def found() -> list[Json]:
        answer: list[Json] = memory.search("allergic to peanuts", limit=1)["content"][
            "semantic_memory"
        ]
        return answer

    (best,) = eventually(found, lambda page: len(page) == 1 and "peanuts" in page[0]["value"])
    assert best["metadata"]["id"]


@requirement("mm:memory.add_feature", "mm:memory.get_feature")
def test_a_feature_that_was_written_reads_back(made: Place) -> None:
    """Every field of it, and what it cites when that is asked for."""
    (uid,) = made.said("I eat rye bread.", memory_types=["episodic"])
    feature_id = written(
        made, "rye", feature_metadata={"since": "2020"}, citations=[uid], set_id=of_user(made)
    )
    found = made.memory().get_feature(feature_id, load_citations=True)
    assert (found["category"], found["tag"]) == ("diet", "bread")
    assert (found["feature_name"], found["value"]) == ("favourite bread", "rye")
    assert found["set_id"] == of_user(made)
    assert found["metadata"]["id"] == feature_id
    assert found["metadata"]["citations"] == [uid]
    assert found["metadata"]["other"]["since"] == "2020"
    assert not made.memory().get_feature(feature_id)["metadata"]["citations"]
    assert "rye" in values(features(made))


@requirement("mm:memory.update_feature")
def test_a_feature_is_changed_in_the_fields_that_are_given(made: Place) -> None:
    """The others stay as they are."""
    feature_id = written(made, "rye")
    memory = made.memory()
    assert memory.update_feature(feature_id=feature_id, value="wheat") is True
    found = memory.get_feature(feature_id)
    assert (found["value"], found["tag"]) == ("wheat", "bread")
    memory.update_feature(
        feature_id=feature_id,
        category_name="food",
        tag="grain",
        feature="flour",
        metadata={"a": "b"},
    )
    found = memory.get_feature(feature_id)
    assert (found["category"], found["tag"], found["feature_name"]) == ("food", "grain", "flour")
    assert found["value"] == "wheat"
    assert found["metadata"]["other"]["a"] == "b"
    with told(404):
        memory.update_feature(feature_id=NOBODY, value="x")


@requirement("mm:memory.delete_semantic", "mm:semantic:deleted")
def test_a_deleted_feature_is_found_no_more(made: Place) -> None:
    """Neither by its id nor in lists and searches; the next one stays."""
    gone, kept = written(made, "rye"), written(made, "wheat", feature="favourite flour")
    memory = made.memory()
    assert memory.delete_semantic(gone) is True
    assert memory.get_feature(gone) is None
    assert values(features(made)) == ["wheat"]
    assert "rye" not in values(memory.search("rye")["content"]["semantic_memory"])
    assert memory.get_feature(kept)["value"] == "wheat"
    with told(404):
        memory.delete_semantic(gone)


@requirement("mm:defects:semantic-ids")
def test_several_features_are_deleted_with_the_first_named_by_itself(made: Place) -> None:
    """A list alone never leaves the client; beside a single id it does, even with the same one."""
    ids = [written(made, f"bread {n}", feature=f"bread {n}") for n in range(3)]
    memory = made.memory()
    with raises("ValidationError"):
        memory.delete_semantic(semantic_ids=ids)
    assert memory.delete_semantic(ids[0], ids[:2]) is True
    assert values(features(made)) == ["bread 2"]


@requirement("mm:errors:404-is-none", "mm:defects:null-feature")
def test_what_is_not_there_is_none_to_the_client(made: Place, http: httpx.Client) -> None:
    """Features are 404 and never null; so are categories."""
    memory = made.memory()
    for absent in (NOBODY, "nothing", "0", "-1", "9" * 40):
        assert memory.get_feature(absent) is None
        assert memory.get_semantic_category(absent) is None
    body = {"org_id": made.org_id, "project_id": made.project_id, "feature_id": NOBODY}
    answer = http.post("memories/semantic/feature/get", json=body)
    assert answer.status_code == 404
    assert answer.json()["detail"]["code"] == 404


@requirement("mm:memory.get_semantic_set_id", "mm:memory.list_semantic_set_ids")
def test_a_set_has_the_same_id_whenever_it_is_asked_for(made: Place) -> None:
    """Other values are another set; the one of a user that spoke is listed."""
    assert of_user(made) == of_user(made)
    assert of_user(made) != of_user(made, "u2")
    other = Place(made.mm, made.org_id)
    other.mm.client.create_project(other.org_id, other.project_id)
    assert of_user(made) != of_user(other)
    made.memory(user_id="u1").add("I like tea.")
    listed = made.memory().list_semantic_set_ids(set_metadata={"user_id": "u1"})
    found = {one["id"]: one for one in listed}
    assert found[of_user(made)]["tags"] == ["user_id"]
    assert found[of_user(made)]["is_org_level"] is False
    everything = made.memory().list_semantic_set_ids()
    assert all(one["id"] for one in everything)


@requirement("mm:semantic:sets")
def test_features_are_listed_by_the_set_they_are_of(made: Place) -> None:
    """Two users of a project each have what is theirs."""
    written(made, "rye")
    written(made, "wheat", set_id=of_user(made, "u2"))
    assert sorted(values(features(made))) == ["rye", "wheat"]
    (found,) = features(made, set_metadata={"user_id": "u2"})
    assert (found["value"], found["set_id"]) == ("wheat", of_user(made, "u2"))
    memory = made.memory()
    hits = memory.search("bread", set_metadata={"user_id": "u1"})["content"]["semantic_memory"]
    assert values(hits) == ["rye"]


@requirement(
    "mm:memory.create_semantic_set_type",
    "mm:memory.list_semantic_set_types",
    "mm:memory.delete_semantic_set_type",
)
def test_types_of_sets_are_made_listed_and_removed(made: Place) -> None:
    """With their tags, name and description; a second removal has nothing to remove."""
    memory = made.memory()
    tags = ["team_id", "user_id"]
    type_id = memory.create_semantic_set_type(
        metadata_tags=tags, name="member", description="Members of teams"
    )
    (found,) = [one for one in memory.list_semantic_set_types() if one["id"] == type_id]
    assert sorted(found["tags"]) == tags
    assert (found["name"], found["description"]) == ("member", "Members of teams")
    assert found["is_org_level"] is False
    assert memory.delete_semantic_set_type(type_id) is True
    assert type_id not in [one["id"] for one in memory.list_semantic_set_types()]
    with told(404):
        memory.delete_semantic_set_type(type_id)


@requirement("mm:memory.configure_semantic_set")
def test_a_set_uses_the_models_that_are_there(made: Place) -> None:
    """The name of one that is there is taken, another is refused."""
    memory = made.memory()
    embedder = made.mm.config.get_resources()["embedders"][0]["name"]
    assert memory.configure_semantic_set(set_id=of_user(made), embedder_name=embedder) is True
    with told(422):
        memory.configure_semantic_set(set_id=of_user(made), embedder_name="no-such-model")
    with told(422):
        memory.configure_semantic_set(set_id=of_user(made), llm_name="no-such-model")


@requirement(
    "mm:memory.add_semantic_category",
    "mm:memory.get_semantic_category",
    "mm:memory.get_semantic_category_set_ids",
    "mm:memory.delete_semantic_category",
)
def test_a_category_of_a_set_is_made_read_and_removed(made: Place) -> None:
    """It names the set that uses it, and features under its name stay when it goes."""
    memory = made.memory()
    category_id = memory.add_semantic_category(set_id=of_user(made), description="Food", **DIET)
    found = memory.get_semantic_category(category_id)
    assert found == {
        "id": category_id,
        "name": "diet",
        "prompt": DIET["prompt"],
        "description": "Food",
    }
    assert memory.get_semantic_category_set_ids(category_id) == [of_user(made)]
    written(made, "rye")
    assert memory.delete_semantic_category(category_id) is True
    assert memory.get_semantic_category(category_id) is None
    assert values(features(made)) == ["rye"]
    with told(404):
        memory.delete_semantic_category(category_id)


@requirement(
    "mm:memory.add_semantic_category_template", "mm:memory.list_semantic_category_templates"
)
def test_a_category_can_be_that_of_a_type_of_sets(made: Place) -> None:
    """It is listed with its type, and read by its id."""
    memory = made.memory()
    type_id = memory.create_semantic_set_type(metadata_tags=["team_id"])
    category_id = memory.add_semantic_category_template(set_type_id=type_id, **DIET)
    (found,) = memory.list_semantic_category_templates(type_id)
    assert (found["id"], found["name"]) == (category_id, "diet")
    assert memory.get_semantic_category(category_id)["prompt"] == DIET["prompt"]
    with told(404):
        memory.list_semantic_category_templates("999999999")


@requirement("mm:memory.disable_semantic_category")
def test_a_category_that_is_off_is_not_in_the_answers_of_its_set(made: Place) -> None:
    """Other sets keep it."""
    memory = made.memory()
    written(made, "rye")
    written(made, "wheat", set_id=of_user(made, "u2"))
    assert memory.disable_semantic_category(set_id=of_user(made), category_name="diet") is True
    assert values(features(made)) == ["wheat"]


@requirement("mm:memory.add_semantic_tag", "mm:memory.delete_semantic_tag")
def test_tags_are_added_to_a_category_and_removed(made: Place) -> None:
    """A second removal has nothing to remove, and a category has to be there."""
    memory = made.memory()
    category_id = memory.add_semantic_category(set_id=of_user(made), **DIET)
    tag = {"tag_name": "bread", "tag_description": "Kinds of bread."}
    tag_id = memory.add_semantic_tag(category_id=category_id, **tag)
    assert memory.delete_semantic_tag(tag_id) is True
    with told(404):
        memory.delete_semantic_tag(tag_id)
    with told(404):
        memory.add_semantic_tag(category_id="999999999", **tag)


@requirement("mm:semantic:refusals")
def test_a_feature_of_what_is_not_there_is_refused(made: Place) -> None:
    """A set, an episode it cites, and one of another project; nothing is written."""
    other = Place(made.mm)
    (elsewhere,) = other.said("Hello.", memory_types=["episodic"])
    with told(404):
        written(made, "rye", set_id="no-such-set")
    with told(404):
        written(made, "rye", set_id=of_user(other))
    for cited in (NOBODY, elsewhere):
        with pytest.raises(Exception, match=r"404|422"):
            written(made, "rye", citations=[cited])
    assert features(made) == []


@requirement("mm:semantic:refusals")
def test_features_of_another_project_are_not_there(made: Place) -> None:
    """Reading, changing and deleting by an id of elsewhere finds nothing."""
    other = Place(made.mm)
    other.mm.client.create_project(other.org_id, other.project_id)
    feature_id = written(other, "rye")
    memory = made.memory()
    assert memory.get_feature(feature_id) is None
    with told(404):
        memory.update_feature(feature_id=feature_id, value="x")
    with told(404):
        memory.delete_semantic(feature_id)
    assert other.memory().get_feature(feature_id)["value"] == "rye"
