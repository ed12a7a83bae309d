"""Searches of the MemMachine client: the window, what is recalled, and filters."""

from typing import Any

import httpx
import pytest

from tests.contract.sdk.memmachine import (
    MemMachine,
    Place,
    all_episodes,
    listed,
    moment,
    raises,
    recalled,
    told,
    window_of,
)
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import eventually, instant

EPISODIC = {"memory_types": ["episodic"]}
# Twelve things that have nothing to do with each other; the sixth is what is asked about.
TALK = (
    "The train to Hamburg leaves from platform nine.",
    "Grandmother knits a green scarf.",
    "Our printer is out of paper again.",
    "Football practice was cancelled on Tuesday.",
    "The museum shows paintings from Peru.",
    "My allergy to peanuts is severe.",
    "The bridge will be painted red.",
    "A fox was seen near the school.",
    "The bakery sells rye bread on Sundays.",
    "Jupiter has many moons.",
    "The tax form is due in April.",
    "He plays the cello in the evening.",
)
NUTS = TALK[5]


def on_day(number: int) -> dict[str, Any]:
    """A day of January, as a time of its own for each message."""
    return moment(f"2024-01-{number + 1:02d}T12:00:00")


@pytest.fixture(scope="module")
def talk(clients: Any) -> Place:
    """A project that remembers the talk in the long term only; nothing is changed in it."""
    place = Place(clients.memmachine())
    place.mm.client.create_project(place.org_id, place.project_id)
    memory = place.memory()
    memory.configure_episodic_memory(short_term_memory_enabled=False)
    for number in (4, 0, 8, 1, 11, 2, 6, 5, 3, 10, 7, 9):
        memory.add(TALK[number], timestamp=on_day(number), **EPISODIC)
    eventually(
        lambda: recalled(memory.search("anything", limit=20)),
        lambda found: sorted(found) == sorted(TALK),
    )
    return place


def ask(place: Place, query: str = "peanuts allergy", **options: Any) -> dict[str, Any]:
    """A search without a context."""
    found: dict[str, Any] = place.memory().search(query, **options)
    return found


@requirement("mm:memory.search", "mm:long-term:score")
def test_what_fits_is_recalled_with_a_score(talk: Place) -> None:
    """The best hit is the one that was asked about, and every hit has a number."""
    found = ask(talk, limit=3)
    hits = found["content"]["episodic_memory"]["long_term_memory"]["episodes"]
    assert found["status"] == 0
    assert len(hits) == 3
    assert all(isinstance(hit["score"], float) for hit in hits)
    assert max(hits, key=lambda hit: hit["score"])["content"] == NUTS


@requirement("mm:long-term:time-order")
def test_hits_are_in_the_order_of_time(talk: Place) -> None:
    """Whatever their scores, and whatever order they were added in."""
    hits = ask(talk, limit=6)["content"]["episodic_memory"]["long_term_memory"]["episodes"]
    times = [instant(hit["created_at"]) for hit in hits]
    assert len(times) == 6
    assert times == sorted(times)
    assert [hit["content"] for hit in hits] == [
        line for line in TALK if line in {hit["content"] for hit in hits}
    ]


@requirement("mm:long-term:limit")
@pytest.mark.parametrize(
    ("asked", "count"), [({}, 10), ({"limit": 0}, 10), ({"limit": 1}, 1), ({"limit": 100}, 12)]
)
def test_as_many_are_recalled_as_were_asked_for(
    talk: Place, asked: dict[str, Any], count: int
) -> None:
    """Ten when nothing was asked, which the client also makes of none."""
    assert len(recalled(ask(talk, **asked))) == count


@requirement("mm:long-term:expand")
def test_the_episodes_around_a_hit_come_with_it(place: Place) -> None:
    """A third of them from before it and the rest from after it, within the limit."""
    place.mm.client.create_project(place.org_id, place.project_id)
    place.memory().configure_episodic_memory(short_term_memory_enabled=False)
    place.said(*TALK, **EPISODIC)
    eventually(lambda: recalled(ask(place, limit=20)), lambda found: found == list(TALK))
    assert recalled(ask(place, limit=1, expand_context=0)) == [NUTS]
    assert recalled(ask(place, limit=4, expand_context=3)) == list(TALK[4:8])
    assert len(recalled(ask(place, limit=4, expand_context=50))) == 4


@requirement("mm:long-term:threshold")
def test_below_the_score_nothing_is_recalled(talk: Place) -> None:
    """The least score of the hits keeps them all, a higher one than the best keeps none."""
    hits = ask(talk)["content"]["episodic_memory"]["long_term_memory"]["episodes"]
    scores = sorted(hit["score"] for hit in hits)
    kept = recalled(ask(talk, score_threshold=scores[0] - 1e-6))
    assert kept == [hit["content"] for hit in hits]
    assert recalled(ask(talk, score_threshold=scores[-1] - 1e-6)) == [NUTS]
    assert recalled(ask(talk, score_threshold=scores[-1] + 1e-3)) == []


@requirement("mm:memory.search:agent-mode")
def test_the_mode_for_agents_answers_the_same(talk: Place) -> None:
    """There is one way to search here, and it is good for agents."""
    assert ask(talk, agent_mode=True) == ask(talk)


@requirement("mm:memory.search:refusals", "mm:errors:names-field")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("top_k", 0),
        ("top_k", "x"),
        ("expand_context", -1),
        ("score_threshold", "high"),
        ("query", None),
        ("types", ["procedural"]),
        ("filter", 7),
        ("set_metadata", []),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(
    talk: Place, http: httpx.Client, field: str, value: object
) -> None:
    """422 with the field, whatever is wrong with it."""
    named = {"org_id": talk.org_id, "project_id": talk.project_id, "query": "peanuts"}
    answer = http.post("memories/search", json={**named, field: value})
    assert answer.status_code == 422, answer.text
    assert field in answer.json()["detail"]["message"]


@requirement("mm:memory.search:refusals")
def test_the_client_refuses_a_limit_below_none(talk: Place) -> None:
    """Nothing is sent for it."""
    with raises("ValidationError"):
        ask(talk, limit=-1)


@requirement("mm:memory.search:unknown")
def test_a_project_that_is_not_there_is_empty_and_stays_so(place: Place) -> None:
    """Searching and listing answer empty, and no project comes of it."""
    found = ask(place)["content"]
    assert found["episodic_memory"]["long_term_memory"]["episodes"] == []
    assert found["episodic_memory"]["short_term_memory"] == {"episodes": [], "episode_summary": []}
    assert found["semantic_memory"] == []
    assert listed(place) == []
    with told(404):
        place.mm.client.get_project(place.org_id, place.project_id)


@requirement("mm:short-term:window")
def test_the_window_is_the_newest_in_order(place: Place) -> None:
    """The last ones said, oldest of them first, whatever was asked."""
    place.said(*TALK, **EPISODIC)
    assert window_of(ask(place, limit=5)) == list(TALK[-5:])
    assert window_of(ask(place, "nothing of the kind", limit=2)) == list(TALK[-2:])


@requirement("mm:memory.search:no-duplicates")
def test_no_episode_is_in_both_memories(place: Place) -> None:
    """What the window shows is not recalled once more, even when it fits best."""
    place.said(*TALK, **EPISODIC)

    def both() -> dict[str, Any]:
        return ask(place, "the cello in the evening", limit=4)

    found = eventually(both, lambda answer: len(recalled(answer)) > 0)
    uids = [episode["uid"] for episode in all_episodes(found)]
    assert len(uids) == len(set(uids))
    assert TALK[-1] in window_of(found)
    assert TALK[-1] not in recalled(found)


@requirement("mm:filters:context")
def test_a_memory_finds_what_its_own_metadata_carry(place: Place) -> None:
    """Each context has its own list, its own window and its own recollections."""
    ann, bob = place.memory(user_id="ann"), place.memory(user_id="bob", session_id="s1")
    ann.add("I like tea.", **EPISODIC)
    bob.add("I like coffee.", **EPISODIC)
    place.memory(user_id="bob").add("I like cocoa.", **EPISODIC)

    def of(memory: Any) -> tuple[list[str], list[str]]:
        found = all_episodes(memory.search("drinks"))
        rows = memory.list()["content"]["episodic_memory"]
        return sorted(one["content"] for one in found), sorted(one["content"] for one in rows)

    assert of(ann) == (["I like tea."], ["I like tea."])
    assert of(bob) == (["I like coffee."], ["I like coffee."])
    both = ["I like cocoa.", "I like coffee."]
    assert of(place.memory(user_id="bob")) == (both, both)
    assert of(place.memory(user_id="nobody")) == ([], [])


@requirement("mm:filters:override")
def test_a_filter_for_the_same_key_replaces_that_of_the_memory(place: Place) -> None:
    """Another key narrows further, and a raw filter as well."""
    place.memory(user_id="ann", mood="good").add("One.", **EPISODIC)
    place.memory(user_id="bob", mood="good").add("Two.", **EPISODIC)
    place.memory(user_id="ann", mood="bad").add("Three.", **EPISODIC)
    ann = place.memory(user_id="ann")

    def lines(**options: Any) -> list[str]:
        rows = ann.list(**options)["content"]["episodic_memory"]
        found = all_episodes(ann.search("number", **options))
        assert sorted(one["content"] for one in found) == sorted(one["content"] for one in rows)
        return [row["content"] for row in rows]

    assert lines() == ["One.", "Three."]
    assert lines(filter_dict={"metadata.user_id": "bob"}) == ["Two."]
    assert lines(filter_dict={"m.mood": "bad"}) == ["Three."]
    assert lines(filter="m.mood = 'good' OR m.mood = 'awful'") == ["One."]


@requirement("mm:filters:quotes")
@pytest.mark.parametrize("name", ["O'Brien", "''", "it's 'quoted'", "' OR 'a'='a", "\\'"])
def test_quotes_in_values_are_part_of_them(place: Place, name: str) -> None:
    """The client doubles them; nothing but the value itself is found."""
    place.memory(user_id=name).add("Mine.", **EPISODIC)
    place.memory(user_id="someone").add("Not mine.", **EPISODIC)
    memory = place.memory(user_id=name)
    assert [one["content"] for one in all_episodes(memory.search("mine"))] == ["Mine."]
    assert [one["content"] for one in memory.list()["content"]["episodic_memory"]] == ["Mine."]


ROWS: tuple[dict[str, Any], ...] = (
    {
        "content": "A",
        "producer": "ann",
        "role": "user",
        "metadata": {"n": 1, "done": True, "ratio": 0.25, "word": "sun", "extra": "x"},
    },
    {
        "content": "B",
        "producer": "bot",
        "role": "assistant",
        "produced_for": "ann",
        "metadata": {"n": 2, "done": False, "ratio": 0.5, "word": "moon"},
    },
    {
        "content": "C",
        "producer": "ann",
        "role": "user",
        "metadata": {"n": 3, "done": True, "ratio": 0.75, "word": "star", "producer_id": "bot"},
    },
)


@pytest.fixture(scope="module")
def rows(clients: Any) -> Place:
    """Three episodes with all kinds of metadata, a month apart."""
    place = Place(clients.memmachine())
    messages = [
        {**row, "timestamp": f"2024-0{number + 1}-01T00:00:00Z"} for number, row in enumerate(ROWS)
    ]
    named = {"org_id": place.org_id, "project_id": place.project_id, "types": ["episodic"]}
    key = {"Authorization": f"Bearer {place.mm.api_key}"}
    answer = httpx.post(
        f"{place.mm.origin}/api/v2/memories",
        json={**named, "messages": messages},
        headers=key,
        trust_env=False,
    )
    assert answer.status_code == 200, answer.text
    return place


FILTERS = {
    "m.n = 1": "A",
    "m.n != 1": "BC",
    "m.n <> 1": "BC",
    "m.n > 1": "BC",
    "m.n >= 2": "BC",
    "m.n < 2": "A",
    "m.n <= 2": "AB",
    "m.n IN (1, 3)": "AC",
    "m.n NOT IN (1, 3)": "B",
    "m.n in (2)": "B",
    "m.word IN ('sun', 'star')": "AC",
    "m.word = moon": "B",
    "metadata.word = 'moon'": "B",
    "m.done = TRUE": "AC",
    "m.done = false": "B",
    "m.ratio > 0.3": "BC",
    "m.ratio = 0.50": "B",
    "m.extra IS NULL": "BC",
    "m.extra IS NOT NULL": "A",
    "m.nobody_sent_this = 'x'": "",
    "NOT m.n = 1": "BC",
    "NOT (m.n = 1 OR m.n = 2)": "C",
    "m.n = 1 OR m.n = 2 AND m.word = 'sun'": "A",
    "(m.n = 1 OR m.n = 2) AND m.done = FALSE": "B",
    "m.n = 1 or m.n = 3 and not m.done = false": "AC",
    "producer_id = 'ann'": "AC",
    "producer_id = 'bot'": "B",
    "m.producer_id = 'bot'": "C",
    "producer_role = 'assistant'": "B",
    "produced_for_id = 'ann'": "B",
    "created_at >= date('2024-02-01')": "BC",
    "created_at < date('2024-02-01T00:00:00Z')": "A",
    "created_at > date('2024-01-31T23:00:00-02:00')": "C",
}


@requirement("mm:filters:operators", "mm:filters:fields")
@pytest.mark.parametrize("text", sorted(FILTERS))
def test_a_filter_keeps_what_satisfies_it(rows: Place, text: str) -> None:
    """Lists and searches agree, in every operator, value and nesting."""
    assert "".join(listed(rows, filter=text)) == FILTERS[text]
    found = all_episodes(ask(rows, "letters", filter=text))
    assert "".join(sorted(one["content"] for one in found)) == FILTERS[text]


REFUSED = (
    "m.n =",
    "m.n",
    "= 1",
    "m.n = 1 AND",
    "m.n = 1 OR OR m.n = 2",
    "(m.n = 1",
    "m.n = 1)",
    "m.n = 'x",
    "m.n @ 1",
    "m.n = 1; DROP TABLE episodes",
    "m.n IN ()",
    "m.n IN (1, 'x')",
    "m.n IN 1",
    "m.n == 1",
    "m.n IS 1",
    "m. = 1",
    "NOT",
    "created_at > date('soon')",
    "created_at > date(2024)",
    "colour = 'red'",
    "m.n = \x00",
    "(" * 5000,
)


@requirement("mm:filters:refusals")
@pytest.mark.parametrize("text", REFUSED, ids=lambda text: repr(text[:20]))
def test_a_filter_that_cannot_be_read_is_refused(rows: Place, text: str) -> None:
    """Broken syntax, unknown characters and unknown system fields, in searches and lists."""
    with told(422) as refusal:
        ask(rows, filter=text)
    assert "filter" in refusal.value.body["detail"]["message"]
    with told(422):
        rows.memory().list(filter=text)


@requirement("mm:filters:context")
def test_filters_hold_in_the_long_term_as_well(talk: Place, mm: MemMachine) -> None:
    """What a filter excludes is not recalled, however well it fits."""
    memory = mm.memory(talk.org_id, talk.project_id)
    late = memory.search("peanuts allergy", filter="created_at > date('2024-01-09')", limit=20)
    assert recalled(late) == list(TALK[8:])
    none = memory.search("peanuts allergy", filter="m.user_id = 'nobody'")
    assert recalled(none) == []
