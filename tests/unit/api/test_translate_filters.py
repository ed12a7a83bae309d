"""Filters of clients become ours, and what is wrong in them is named by its path."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from recollect.api.http import parse_body
from recollect.compat.zep import translate_filters
from recollect.compat.zep.v4 import translate_filters as translate_filters_4
from recollect.compat.zep.v4.wire.filters import EdgeSearchFilters4
from recollect.compat.zep.wire.base import MetadataFilterGroup, SearchFilters
from recollect.errors import InvalidInput
from recollect.graph.filters import NO_FILTERS, DateTest, Filters, MetadataTree, ValueTest

ONE = "01890000-0000-7000-8000-00000000000a"
TWO = "01890000-0000-7000-8000-00000000000b"


def read(sent: dict[str, Any], *, edges: bool = True) -> Filters:
    """Filters as they come out of a request's body."""
    body = parse_body(msgspec.json.encode(sent), SearchFilters)
    return translate_filters.filters(body, "search_filters", edges=edges)


def refusal(sent: dict[str, Any], *, edges: bool = True) -> str:
    """What is said against filters."""
    with pytest.raises(InvalidInput) as raised:
        read(sent, edges=edges)
    return raised.value.message


def leaf(operator: str, *value: Any) -> dict[str, Any]:
    """A test of one value."""
    given = {"property_value": value[0]} if value else {}
    return {"property_name": "tier", "comparison_operator": operator, **given}


def tree(*leaves: dict[str, Any], kind: str = "and", **more: Any) -> dict[str, Any]:
    """A search narrowed by a tree of metadata."""
    return {"episode_metadata_filters": {"type": kind, "filters": list(leaves), **more}}


def test_no_filters_do_not_narrow() -> None:
    """Neither absent ones nor an empty object."""
    assert translate_filters.filters(None, "filters") == NO_FILTERS
    assert read({}) == NO_FILTERS


@pytest.mark.parametrize(
    ("spelling", "meant"),
    [
        ("=", "="),
        ("eq", "="),
        ("<>", "<>"),
        ("ne", "<>"),
        (">", ">"),
        ("gt", ">"),
        ("<", "<"),
        ("LT", "<"),
        (">=", ">="),
        ("gte", ">="),
        ("<=", "<="),
        ("Lte", "<="),
    ],
)
def test_a_comparison_is_known_by_all_its_spellings(spelling: str, meant: str) -> None:
    """Signs, words, and words in any case, on values and on dates."""
    found = read(
        {
            "property_filters": [leaf(spelling, 5)],
            "valid_at": [[{"comparison_operator": spelling, "date": "2024-05-01T10:00:00+02:00"}]],
        }
    )
    assert found.properties == (ValueTest(name="tier", operator=meant, value=5),)
    moment = datetime(2024, 5, 1, 8, tzinfo=UTC)
    assert found.valid_at == ((DateTest(operator=meant, moment=moment),),)


@pytest.mark.parametrize(
    ("spelling", "meant"),
    [
        ("IS NULL", "IS NULL"),
        ("is_null", "IS NULL"),
        ("is  null", "IS NULL"),
        ("IS NOT NULL", "IS NOT NULL"),
        ("is_not_null", "IS NOT NULL"),
    ],
)
def test_a_null_test_is_known_by_all_its_spellings_and_takes_no_value(
    spelling: str, meant: str
) -> None:
    """A null in place of the value is no value, too."""
    found = read(
        {
            "property_filters": [leaf(spelling), leaf(spelling, None)],
            "invalid_at": [[{"comparison_operator": spelling}]],
        }
    )
    assert found.properties == (ValueTest(name="tier", operator=meant),) * 2
    assert found.invalid_at == ((DateTest(operator=meant),),)
    message = refusal({"property_filters": [leaf("=", 1), leaf(spelling, 1)]})
    assert message == f"search_filters.property_filters[1].property_value: {meant} takes no value"
    dated = {"comparison_operator": spelling, "date": "2024-05-01T10:00:00Z"}
    assert refusal({"invalid_at": [[dated]]}).startswith("search_filters.invalid_at[0][0].date:")


@pytest.mark.parametrize("spelling", ["CONTAINS", "contains", "IN", "in"])
@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("gold, silver ,,bronze", ("gold", "silver", "bronze")),
        (["gold", 5, True, 1.5], ("gold", 5, True, 1.5)),
        (["a, b"], ("a, b",)),
        (7, (7,)),
    ],
)
def test_one_of_several_is_a_list_or_words_with_commas(
    spelling: str, value: Any, meant: tuple[Any, ...]
) -> None:
    """CONTAINS and IN ask the same thing."""
    found = read({"property_filters": [leaf(spelling, value)]})
    assert found.properties == (ValueTest(name="tier", operator="CONTAINS", value=meant),)


@pytest.mark.parametrize("value", ["", " , ", []])
def test_one_of_none_is_refused(value: Any) -> None:
    """It could only ever find nothing."""
    assert "at least one value" in refusal(tree(leaf("IN", value)))


def test_one_of_very_many_is_refused() -> None:
    """A list has its bound."""
    assert "at most 256 values, got 257" in refusal(tree(leaf("IN", list(range(257)))))


@pytest.mark.parametrize("spelling", ["STARTS WITH", "starts_with", "Starts  with"])
def test_a_beginning_is_known_by_all_its_spellings(spelling: str) -> None:
    """A comma is a part of it: there is one beginning, not several."""
    found = read({"property_filters": [leaf(spelling, "go, ld")]})
    assert found.properties == (ValueTest(name="tier", operator="STARTS WITH", value="go, ld"),)


def test_generation_4_says_the_same_in_its_own_spelling() -> None:
    """And not of dates: its types refuse that."""
    test = {"property_name": "tier", "operator": "starts_with", "value": "go"}
    body = parse_body(msgspec.json.encode({"property_filters": [test]}), EdgeSearchFilters4)
    meant = ValueTest(name="tier", operator="STARTS WITH", value="go")
    assert translate_filters_4.filters(body).properties == (meant,)
    dated = {"field": "valid_at", "operator": "starts_with", "value": "2024"}
    sent = {"date_filters": {"any_of": [{"all_of": [dated]}]}}
    with pytest.raises(InvalidInput, match="starts_with"):
        parse_body(msgspec.json.encode(sent), EdgeSearchFilters4)


@pytest.mark.parametrize("value", ["", 5, True, ["gold"], {"a": 1}])
def test_a_beginning_is_a_text_with_something_in_it(value: Any) -> None:
    """Every text begins with an empty one, and nothing else begins with anything."""
    path = "search_filters.property_filters[0].property_value"
    assert refusal({"property_filters": [leaf("STARTS WITH", value)]}).startswith(f"{path}:")


@pytest.mark.parametrize(
    "operator", ["=", "<>", ">", "<", ">=", "<=", "CONTAINS", "IN", "STARTS WITH"]
)
def test_a_comparison_needs_a_value(operator: str) -> None:
    """Absent or null."""
    for bare in (leaf(operator), leaf(operator, None)):
        assert "needs a value" in refusal({"property_filters": [bare]})


@pytest.mark.parametrize("value", [["a"], {"a": 1}])
def test_a_comparison_takes_a_single_value(value: Any) -> None:
    """A list is for CONTAINS and IN, an object for nothing."""
    path = "search_filters.property_filters[0].property_value"
    assert refusal({"property_filters": [leaf("=", value)]}).startswith(f"{path}:")
    assert refusal({"property_filters": [leaf("IN", [[1]])]}).startswith(f"{path}[0]:")


def test_a_tree_keeps_its_shape() -> None:
    """Groups inside groups, each with its own way of joining."""
    sent = tree(
        leaf("=", "gold"),
        groups=[{"type": "OR", "filters": [leaf(">", 1), leaf("is_null")]}],
    )
    assert read(sent).episode_metadata == MetadataTree(
        joined_by="and",
        tests=(ValueTest(name="tier", operator="=", value="gold"),),
        trees=(
            MetadataTree(
                joined_by="or",
                tests=(
                    ValueTest(name="tier", operator=">", value=1),
                    ValueTest(name="tier", operator="IS NULL"),
                ),
            ),
        ),
    )


def test_a_bad_leaf_is_named_by_its_path() -> None:
    """The path leads through every group to the field."""
    inner = {"type": "or", "filters": [leaf("=", 1), leaf("=", 2), leaf("~", 3)]}
    message = refusal(tree(groups=[inner]))
    path = "search_filters.episode_metadata_filters.groups[0].filters[2].comparison_operator"
    assert message.startswith(f"{path}: must be one of")
    assert "'~'" in message


@pytest.mark.parametrize(
    ("group", "path"),
    [
        ({"type": "xor", "filters": [leaf("=", 1)]}, ".type"),
        ({"type": "and"}, ""),
        ({"type": "and", "filters": [], "groups": []}, ""),
        ({"type": "and", "groups": [{"type": "or"}]}, ".groups[0]"),
        ({"type": "and", "filters": [{**leaf("=", 1), "property_name": " "}]}, ".filters[0]"),
    ],
)
def test_a_bad_group_is_named_by_its_path(group: dict[str, Any], path: str) -> None:
    """An unknown way to join, a group without anything in it, a value without a name."""
    message = refusal({"episode_metadata_filters": group})
    assert message.startswith(f"search_filters.episode_metadata_filters{path}")


def nested(levels: int) -> dict[str, Any]:
    """A tree of so many levels."""
    group: dict[str, Any] = {"type": "and", "filters": [leaf("=", 1)]}
    for _ in range(levels - 1):
        group = {"type": "and", "groups": [group]}
    return group


def test_a_tree_has_a_greatest_depth() -> None:
    """Eight levels are taken, nine are not, and a thousand are as cheap to refuse."""
    assert read({"episode_metadata_filters": nested(8)}).episode_metadata is not None
    for levels in (9, 200):
        told = refusal({"episode_metadata_filters": nested(levels)})
        ninth = "search_filters.episode_metadata_filters" + ".groups[0]" * 8
        assert told == f"{ninth}: nested deeper than 8 groups"


def test_a_tree_has_a_greatest_number_of_leaves() -> None:
    """Counted over all of its groups."""
    half = {"type": "or", "filters": [leaf("=", 1)] * 50}
    assert read({"episode_metadata_filters": {"type": "and", "groups": [half, half]}})
    told = refusal(tree(leaf("=", 1), groups=[half, half]))
    path = "search_filters.episode_metadata_filters.groups[1].filters"
    assert told == f"{path}: at most 100 in the whole tree"
    assert "at most 100" in refusal({"property_filters": [leaf("=", 1)] * 101})


def test_a_tree_stands_alone_in_lists_of_episodes() -> None:
    """Its path begins where the request has it."""
    sent = MetadataFilterGroup(type="and")
    with pytest.raises(InvalidInput, match=r"^episode_metadata_filters: a group must have"):
        translate_filters.metadata_tree(sent, "episode_metadata_filters")
    assert translate_filters.metadata_tree(None, "episode_metadata_filters") is None


def test_dates_are_any_of_lists_of_all() -> None:
    """The outer list is OR, the inner one AND; a time without a zone is in UTC."""
    after = {"comparison_operator": ">", "date": "2024-01-01T00:00:00Z"}
    before = {"comparison_operator": "<", "date": "2024-02-01"}
    found = read({"created_at": [[after, before], [after]]}).created_at
    assert [len(group) for group in found] == [2, 1]
    assert found[0][1].moment == datetime(2024, 2, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("test", "path"),
    [
        ({"comparison_operator": ">", "date": "yesterday"}, "[0][0].date"),
        ({"comparison_operator": ">"}, "[0][0].date"),
        ({"comparison_operator": "CONTAINS", "date": "2024-01-01"}, "[0][0].comparison_operator"),
        ({"comparison_operator": "STARTS WITH", "date": "2024"}, "[0][0].comparison_operator"),
        ({"comparison_operator": "", "date": "2024-01-01"}, "[0][0].comparison_operator"),
    ],
)
def test_a_bad_date_is_named_by_its_path(test: dict[str, Any], path: str) -> None:
    """A time nobody can read, none at all, and ways of comparing that dates do not have."""
    assert refusal({"expired_at": [[test]]}).startswith(f"search_filters.expired_at{path}:")


def test_an_empty_inner_list_of_dates_is_refused() -> None:
    """It would hold of everything, which nobody asks for by a filter."""
    assert refusal({"valid_at": [[]]}) == "search_filters.valid_at[0]: must not be empty"
    assert read({"valid_at": []}) == NO_FILTERS


@pytest.mark.parametrize(
    "field",
    [
        "edge_uuids",
        "episode_uuids",
        "source_node_uuids",
        "target_node_uuids",
        "connected_node_uuids",
    ],
)
def test_a_list_of_uuids_has_its_form_and_bound(field: str) -> None:
    """Capitals are the same uuid; an empty list lets nothing by; absent does not narrow."""
    assert getattr(read({field: [ONE.upper(), TWO]}), field) == (ONE, TWO)
    assert getattr(read({field: []}), field) == ()
    assert getattr(read({}), field) is None
    assert refusal({field: [ONE, "n"]}) == f"search_filters.{field}[1]: 'n' is not a uuid"
    assert read({field: [ONE] * 256})
    assert refusal({field: [ONE] * 257}) == f"search_filters.{field}: at most 256, got 257"


@pytest.mark.parametrize(
    "field", ["source_node_uuids", "target_node_uuids", "connected_node_uuids"]
)
def test_the_ends_of_edges_are_refused_where_no_edges_are_asked_for(field: str) -> None:
    """They could not be held to, and silence would let everything through."""
    assert refusal({field: [ONE]}, edges=False).startswith(f"search_filters.{field}:")
    assert read({"episode_uuids": [ONE]}, edges=False).episode_uuids == (ONE,)


@pytest.mark.parametrize(
    "field", ["node_labels", "exclude_node_labels", "edge_types", "exclude_edge_types"]
)
def test_labels_and_types_are_lists_of_words(field: str) -> None:
    """Bounded, and none of them blank."""
    assert getattr(read({field: ["Person", "Place"]}), field) == ("Person", "Place")
    assert refusal({field: ["Person", " "]}).startswith(f"search_filters.{field}[1]:")
    assert refusal({field: ["x"] * 257}).startswith(f"search_filters.{field}: at most 256")


@pytest.mark.parametrize(
    "sent",
    [
        {"nod_labels": ["Person"]},
        {"property_filters": [{**leaf("=", 1), "negate": True}]},
        {"valid_at": [[{"comparison_operator": "is_null", "dates": "x"}]]},
        tree(leaf("=", 1), **{"not": True}),
    ],
)
def test_an_unknown_field_of_a_filter_is_refused(sent: dict[str, Any]) -> None:
    """Passed over, it would let through what its sender meant to keep out."""
    assert "unknown field" in refusal(sent)


@pytest.mark.parametrize("value", [-0.1, 1.1, 5.0])
def test_a_rating_is_from_nought_to_one(value: float) -> None:
    """The bounds themselves are ratings."""
    for fine in (None, 0.0, 0.5, 1.0):
        assert translate_filters.rating("min_fact_rating", fine) == fine
    with pytest.raises(InvalidInput, match="min_fact_rating: must be from 0 to 1"):
        translate_filters.rating("min_fact_rating", value)


def test_only_facts_are_asked_for_their_times_ends_and_ratings() -> None:
    """For any other kind these filters are left out; the rest stays."""
    dates = [[{"comparison_operator": "is_null"}]]
    sent = dict.fromkeys(("created_at", "valid_at", "invalid_at", "expired_at"), dates)
    chosen = msgspec.structs.replace(
        read({**sent, "source_node_uuids": [ONE], "node_labels": ["Person"]}),
        rating_min=0.5,
        valid_on=datetime(2024, 1, 1, tzinfo=UTC),
        known_on=datetime(2024, 1, 1, tzinfo=UTC),
    )
    assert translate_filters.for_kind(chosen, "fact") == chosen
    for kind in ("entity", "episode", "observation", "thread_summary"):
        assert translate_filters.for_kind(chosen, kind) == Filters(node_labels=("Person",))
