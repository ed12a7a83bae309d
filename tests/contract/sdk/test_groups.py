"""Groups of generation 2."""

from tests.contract.sdk.drivers import Zep, typed
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import a_group, bad_request, missing, pages, refused, unique


@requirement("v2:group.add", "v2:group.get_group")
def test_a_group_reads_back_as_it_was_created(zep2: Zep) -> None:
    """Name, description and rating instruction come back."""
    group_id = unique("group")
    created = zep2.group.add(
        group_id=group_id,
        name="Support",
        description="What support knows",
        fact_rating_instruction=typed("FactRatingInstruction", instruction="Rate by urgency."),
    )
    found = zep2.group.get_group(group_id)
    for answer in (created, found):
        assert answer["group_id"] == group_id
        assert answer["name"] == "Support"
        assert answer["description"] == "What support knows"
        assert answer["fact_rating_instruction"]["instruction"] == "Rate by urgency."
        assert answer["created_at"]
    assert found["uuid"] == created["uuid"]


@requirement("v2:group.add", "v2:errors:duplicate-is-400")
def test_creating_a_group_twice_is_a_bad_request(zep2: Zep) -> None:
    """A second group with the same id is refused."""
    group = a_group(zep2)
    with bad_request():
        zep2.group.add(group_id=group["group_id"])


@requirement("v2:group.update")
def test_updating_a_group_changes_only_what_is_given(zep2: Zep) -> None:
    """Given fields change, the others keep their value."""
    group = a_group(zep2, name="Old", description="Same")
    changed = zep2.group.update(group["group_id"], name="New")
    found = zep2.group.get_group(group["group_id"])
    for answer in (changed, found):
        assert answer["name"] == "New"
        assert answer["description"] == "Same"


@requirement("v2:group.get_all_groups")
def test_walking_the_pages_of_groups_finds_each_once(zep2: Zep) -> None:
    """Pages do not overlap, the counts are right, and every group is on one of them."""
    mine = {a_group(zep2)["group_id"] for _ in range(3)}

    def read(number: int) -> dict:
        page = zep2.group.get_all_groups(page_number=number, page_size=20)
        assert page["row_count"] == len(page["groups"])
        totals.add(page["total_count"])
        return page

    totals: set[int] = set()
    seen = [group["group_id"] for page in pages(read, "groups", 20) for group in page]
    assert len(seen) == len(set(seen))
    assert mine <= set(seen)
    assert totals == {len(seen)}


@requirement("v2:group.get_facts")
def test_a_new_group_has_no_facts(zep2: Zep) -> None:
    """Nothing is seeded for a group, unlike for a user."""
    group = a_group(zep2)
    assert zep2.group.get_facts(group["group_id"]).get("facts", []) == []
    with missing():
        zep2.group.get_facts(unique("nothing"))


@requirement("v2:group.delete")
def test_deleting_a_group_takes_its_episodes(zep2: Zep) -> None:
    """The group and what was added to it are gone."""
    group = a_group(zep2)
    episode = zep2.graph.add(group_id=group["group_id"], type="text", data="Open on Sundays.")
    assert zep2.group.delete(group["group_id"])["message"]
    with missing():
        zep2.group.get_group(group["group_id"])
    with refused(404):
        zep2.graph.episode.get(episode["uuid"])


@requirement("v2:errors:404-is-typed")
def test_an_unknown_group_is_not_found(zep2: Zep) -> None:
    """Reading, changing and deleting an unknown group raise the client's NotFoundError."""
    nothing = unique("nothing")
    for call in (
        lambda: zep2.group.get_group(nothing),
        lambda: zep2.group.update(nothing, name="X"),
        lambda: zep2.group.delete(nothing),
    ):
        with missing():
            call()
