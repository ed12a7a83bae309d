"""What a reader is shown of the graph, within bounds, and what its answer may say about it by id."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recollect.errors import ModelAnswerInvalid
from recollect.extract.brief import (
    Brief,
    Guidance,
    Profile,
    Shown,
    ShownEntity,
    ShownFact,
    Turn,
)
from recollect.extract.llm import PROMPT, material, prompt, read_answer, schema
from recollect.graph import predicates
from recollect.graph.found import EntityRef, Found, Judgement
from recollect.graph.gist import mark
from recollect.limits import PROMPT_CHARS_MAX
from recollect.records.guidance import Instruction
from tests.unit.extract.test_model import entity, fact

AT = datetime(2024, 5, 1, 10, 0, tzinfo=UTC)
TABLE = predicates.load()
JANE = Profile(name="Jane Smith", user_id="jane", first_name="Jane", last_name="Smith")


def known_entity(number: int, **more: Any) -> ShownEntity:
    """An entity that is shown."""
    plain = {"uuid": f"n{number}", "name": f"Thing {number}", "first": f"Old {number}"}
    return ShownEntity(**(plain | more))


def known_fact(number: int, sentence: str | None = None, **more: Any) -> ShownFact:
    """A fact that is shown."""
    return ShownFact(
        **{
            "uuid": f"u{number}",
            "sentence": sentence or f"Thing {number} costs {number} euros",
            "relation": "COSTS",
            "source": f"n{number}",
            "target": f"n{number}",
            "valid_at": AT - timedelta(days=1),
            "rank": number,
        }
        | more
    )


SHOWN = Shown(
    entities=(
        known_entity(0, name="Jane Smith", first="Jane Smith", who="user"),
        known_entity(1, name="Acme", first="Acme Corp", aliases=("Acme Corp",)),
    ),
    facts=(
        known_fact(1, "The front door code is 4471", twins=("u9",)),
        known_fact(2, "Jane Smith works at Acme", source="n0", target="n1"),
        known_fact(3, "Jane Smith likes tea"),
    ),
)


def brief(**more: Any) -> Brief:
    """An episode of Jane's graph, with something known."""
    plain = {"kind": "message", "content": "Make it 9026.", "at": AT, "user": JANE, "shown": SHOWN}
    return Brief(**(plain | more))


def found(entities: list[Any], facts: list[Any], **more: Any) -> Found:
    """What becomes of the raw bytes of an answer."""
    raw = json.dumps({"entities": entities, "facts": facts}).encode()
    return read_answer(raw, brief(**more), TABLE, reader="agent")


def block(text: str, name: str) -> Any:
    """The JSON of one block."""
    _, _, rest = text.partition(f"<{name} ")
    return json.loads(rest.partition(">\n")[2].partition(f"\n</{name} ")[0])


def many(facts: int = 40, chars: int = 250, **more: Any) -> Brief:
    """More than there is room for."""
    text = "x" * chars
    return brief(
        shown=Shown(
            entities=tuple(known_entity(n, gloss=text[:100]) for n in range(30)),
            facts=tuple(known_fact(n, f"{n} {text}", rank=(n * 7) % facts) for n in range(facts)),
        ),
        before=tuple(Turn(content=text * 4, role="user", at=AT) for _ in range(6)),
        earlier=tuple(Turn(content=text * 4, role="user", at=AT) for _ in range(4)),
        **more,
    )


def test_known_things_are_told_with_short_ids() -> None:
    """In the order they are given; a fact names its entities by theirs."""
    text = prompt(brief(), TABLE).user
    assert block(text, "entities") == [
        {"id": "e1", "name": "Jane Smith", "who": "user"},
        {"id": "e2", "name": "Acme", "also": ["Acme Corp"]},
    ]
    told = block(text, "facts")
    assert [one["id"] for one in told] == ["f1", "f2", "f3"]
    assert told[1] == {
        "id": "f2",
        "fact": "Jane Smith works at Acme",
        "relation": "COSTS",
        "of": "e1 e2",
        "since": "2024-04-30T10:00+00:00",
    }


def test_only_relations_that_the_table_does_not_have_are_told_once_more() -> None:
    """The names in use help to say one thing in one way."""
    shown = Shown(relations=("WORKS_AT", "HAS_CODE", "LIKES"))
    assert block(prompt(brief(shown=shown), TABLE).user, "relations") == "HAS_CODE"


def test_two_episodes_of_a_graph_begin_alike() -> None:
    """Up to the turns before: an endpoint that keeps what it read need not read it again."""
    shared = {"guidance": Guidance(defaults=True, instructions=(Instruction(name="n", text="t"),))}
    one = prompt(brief(before=(Turn(content="Hi"),), **shared), TABLE)
    two = prompt(brief(content="Ok.", at=AT + timedelta(hours=3), **shared), TABLE)
    start = one.user.index("<before ")
    assert one.system == two.system
    assert one.user[:start] == two.user[:start]
    more = Shown(entities=SHOWN.entities, facts=(*SHOWN.facts, known_fact(4)))
    three = prompt(brief(shown=more, **shared), TABLE).user
    assert three.startswith(one.user[: one.user.index('"Jane Smith likes tea"')])


@pytest.mark.parametrize("chars", [10, 100, 250, 900])
@pytest.mark.parametrize("content", ["Ok.", "y" * 9_000])
def test_a_prompt_has_its_bound_beside_the_text(chars: int, content: str) -> None:
    """However much is known and was said before."""
    item = many(chars=chars, content=content, guidance=Guidance(defaults=True))
    text = prompt(item, TABLE).user
    assert len(text) - len(content) <= PROMPT_CHARS_MAX
    assert text == prompt(item, TABLE).user


def test_what_is_farthest_goes_first_and_ids_stay() -> None:
    """Facts before turns: those that are left keep the ids they have by their places."""
    item = many()
    some = material.offered(item, TABLE)
    assert 15 <= len(some.facts) < 40
    assert item.shown is not None
    kept = {fact.rank for fact in some.facts.values()}
    assert kept == set(range(len(kept)))
    for id_, one in some.facts.items():
        assert item.shown.facts[int(id_[1:]) - 1] == one


def test_wishes_of_the_project_are_told_in_full() -> None:
    """They are the owner's words; everything else makes room for them."""
    wishes = Guidance(
        instructions=tuple(Instruction(name=f"n{n}", text="w" * 5000) for n in (1, 2, 3))
    )
    some = material.offered(many(guidance=wishes), TABLE)
    assert (some.facts, some.entities, some.before, some.earlier) == ({}, {}, (), ())
    assert prompt(many(guidance=wishes), TABLE).user.count("w" * 5000) == 3


def test_an_answer_judges_known_facts_by_their_ids() -> None:
    """Each with the mark of its words; of twins all end."""
    said = found(
        [entity("Jane Smith", known_id="e1")],
        [
            fact(0, None, "HAS_CODE", "The front door code is 9026", replaces=["f1"]),
            fact(0, None, "LIKES", "Jane Smith likes tea", same_as="f3"),
            fact(0, None, "RETIRED", "Jane Smith retired", ends=["f2"], corrects=["f3"]),
        ],
    )
    code = mark("The front door code is 4471")
    assert said.facts[0].judged == (
        Judgement(fact="u1", mark=code, verdict="replaces"),
        Judgement(fact="u9", mark=code, verdict="replaces"),
    )
    assert said.facts[1].judged == (
        Judgement(fact="u3", mark=mark("Jane Smith likes tea"), verdict="same"),
    )
    assert {(one.fact, one.verdict) for one in said.facts[2].judged} == {
        ("u2", "ends"),
        ("u3", "corrects"),
    }
    assert said.shown == tuple(mark(one.sentence) for one in SHOWN.facts)
    assert said.extractor == f"agent:{PROMPT}"


def test_an_entity_is_known_by_its_id_and_by_its_first_name() -> None:
    """The name it was born with tells later whether it is still the one that was meant."""
    said = found([entity("Globex", known_id="e2", rename_to="Globex")], [])
    assert said.entities[0].known == EntityRef(uuid="n1", name="Acme Corp")
    assert said.entities[0].rename == "Globex"
    same = found([entity("Acme", known_id="e2", rename_to="Acme")], [])
    assert same.entities[0].rename is None


def test_a_known_entity_is_the_user_if_it_is_the_users() -> None:
    """Under whatever name; and somebody else of the user's name is not."""
    by_id = found([entity("the captain", known_id="e1")], []).entities[0]
    assert (by_id.who, by_id.name) == ("user", "Jane Smith")
    other = found([entity("Jane", known_id="e2")], []).entities[0]
    assert (other.who, other.name) == (None, "Jane")


def test_an_events_time_stands_apart_from_validity() -> None:
    """A meeting on Friday is on Friday since it was said."""
    item = fact(
        0, None, "IS_ON", "It is on Friday", valid_at=AT.isoformat(), event_time="2024-05-03T15:00"
    )
    said = found([entity("the meeting")], [item]).facts[0]
    assert (said.valid_at, said.event_at) == (AT, datetime(2024, 5, 3, 15, tzinfo=UTC))


def test_what_took_place_has_no_end() -> None:
    """Its time is when it happened; for what is still to come the same time says nothing more."""
    day = "2024-04-30T00:00:00+00:00"
    sold = fact(0, None, "SOLD", "It was sold", valid_at=day, event_time=day)
    sold["invalid_at"] = AT.isoformat()
    coming = "2024-05-03T15:00:00+00:00"
    plan = fact(0, None, "IS_ON", "It is on Friday", valid_at=coming, event_time=coming)
    first, second = found([entity("the boat")], [sold, plan]).facts
    assert (first.event_at, first.invalid_at) == (first.valid_at, None)
    assert (second.valid_at, second.event_at) == (datetime(2024, 5, 3, 15, tzinfo=UTC), None)


def test_what_took_place_is_shown_as_such() -> None:
    """So that nobody tries to end it."""
    at = AT - timedelta(days=1)
    sold = known_fact(1, "The boat was sold", valid_at=at, event_at=at)
    (told,) = block(prompt(brief(shown=Shown(facts=(sold,))), TABLE).user, "facts")
    assert told["happened"] == "2024-04-30T10:00+00:00"
    assert {"since", "until", "event_time"}.isdisjoint(told)


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ({"replaces": ["f1", "f4"]}, r"facts\[0\]\.replaces\[1\]: 'f4' is no known fact"),
        ({"ends": ["e1"]}, r"facts\[0\]\.ends\[0\]: 'e1'"),
        ({"corrects": ["u1"]}, r"facts\[0\]\.corrects\[0\]: 'u1'"),
        ({"same_as": "f0"}, r"facts\[0\]\.same_as: 'f0' .* one of 3"),
        ({"same_as": "the door code, 4471"}, r"facts\[0\]\.same_as: what it gives"),
        ({"same_as": "f1", "replaces": ["f1"]}, r"facts\[0\]\.replaces\[0\]: 'f1' is said to be"),
    ],
)
def test_an_id_that_was_not_offered_spoils_the_answer(more: dict[str, Any], place: str) -> None:
    """The error names the place; what stands there is repeated only if it looks like an id."""
    with pytest.raises(ModelAnswerInvalid, match=place):
        found([entity("Jane")], [fact(0, None, "R", "s", **more)])
    with pytest.raises(ModelAnswerInvalid, match=r"entities\[0\]\.known_id: 'e3'"):
        found([entity("Jane", known_id="e3")], [])


def test_an_id_that_found_no_room_was_not_offered() -> None:
    """Nobody was shown it, so nobody can mean it."""
    item = many()
    left_out = next(
        f"f{n}" for n in range(1, 41) if f"f{n}" not in material.offered(item, TABLE).facts
    )
    raw = json.dumps(
        {"entities": [entity("x")], "facts": [fact(0, None, "R", "s", ends=[left_out])]}
    )
    with pytest.raises(ModelAnswerInvalid, match=left_out):
        read_answer(raw.encode(), item, TABLE, reader="model")


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b'{"entities": []}', b"\xff", b"null"])
def test_bytes_that_are_no_answer_are_refused(raw: bytes) -> None:
    """With a reason, whoever sent them."""
    with pytest.raises(ModelAnswerInvalid, match="answer"):
        read_answer(raw, brief(), TABLE, reader="agent")


def test_the_schema_is_the_same_for_everyone() -> None:
    """It knows nothing of an episode, so endpoints can keep it."""
    assert schema() == schema()
    fields = schema()["properties"]["facts"]["items"]
    assert {"same_as", "replaces", "ends", "corrects", "event_time"} <= set(fields["required"])
