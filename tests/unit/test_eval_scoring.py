"""The evaluation's own arithmetic: small inputs whose scores can be told by hand."""

from datetime import UTC, datetime

import numpy as np
import pytest

from recollect.graph.found import Found, FoundEntity, FoundFact
from recollect.search import finder
from tests.eval import (
    carb,
    conversations,
    found,
    kept,
    locomo,
    names,
    ranking,
    relations,
    search_locomo,
    search_longmemeval,
    triples,
)
from tests.eval.__main__ import page
from tests.eval.chance import estimate, f1, means, ratio
from tests.eval.common import Options, Table, language, surface, untokenised, words
from tests.eval.triples import Triple

_GOLD = Triple.of("Mr. Baker", "found", "an opening under the house")


def test_a_triple_like_the_gold_one_scores_full():
    assert carb.compare(_GOLD, _GOLD) == (1.0, 1.0)


def test_words_missing_from_a_triple_cost_recall_and_no_precision():
    found = Triple.of("Baker", "found", "opening")
    precision, recall = carb.compare(found, _GOLD)
    assert precision == 1.0
    assert recall == pytest.approx(3 / 8)


def test_words_in_the_wrong_slot_do_not_count():
    assert carb.compare(Triple.of("an opening", "found", "Mr. Baker"), _GOLD) == (0.0, 0.0)


def test_another_relation_is_no_match_though_both_ends_are_right():
    assert carb.compare(Triple.of("Mr. Baker", "closed", "an opening"), _GOLD) == (0.0, 0.0)


def test_one_found_triple_serves_two_gold_ones_for_recall_but_one_for_precision():
    assert carb.score([_GOLD], [_GOLD, _GOLD]) == (1.0, 1, 2.0, 2)
    assert carb.score([_GOLD, _GOLD], [_GOLD]) == (1.0, 2, 1.0, 1)


def test_nothing_found_scores_nothing():
    assert carb.score([], [_GOLD]) == (0.0, 0, 0.0, 1)


def test_a_facts_relation_reaches_from_the_verb_to_the_target():
    doc = language()("In 1970 Gideon Rodan taught at the University of Connecticut.")
    triple = triples.of_sentence(doc, "Gideon Rodan", "University of Connecticut")
    assert triple.first == ("gideon", "rodan")
    assert triple.relation == ("taught", "at")
    assert sorted(triple.rest) == ["1970", "connecticut", "in", "of", "the", "university"]


def test_the_words_that_lead_up_to_a_source_are_its_own():
    doc = language()("The old dog of Ana chased a cat.")
    assert triples.of_sentence(doc, "dog", "cat") == Triple.of(
        "The old dog of Ana", "chased", "a cat"
    )


def test_a_fact_without_a_target_keeps_all_its_words():
    found = Found(
        entities=(FoundEntity(name="Ana"),),
        facts=(FoundFact(source=0, target=0, name="SLEEP", predicate="SLEEP", fact="Ana slept."),),
    )
    assert triples.of_found(found) == [Triple(("ana",), ("slept",), ())]


def test_the_naive_baseline_takes_first_phrase_verb_and_rest():
    doc = language()("The old dog chased a cat.")
    assert triples.naive(doc) == [Triple.of("The old dog", "chased", "a cat")]


def test_words_write_out_what_an_apostrophe_hides():
    assert words("She can't; they don't, it wo n't.") == (
        *("she", "can", "not", "they", "do", "not", "it", "will", "not"),
    )


def test_a_surface_has_no_article_and_no_possessive():
    assert surface("The Acme's") == surface("Acme") == "acme"
    assert surface("U.S.") == "u s"


def test_tokens_that_stood_apart_are_put_together():
    assert untokenised("He did n't pay $ 4 ( or `` five '' ) .") == 'He didn\'t pay $4 (or "five").'


def test_names_are_read_from_their_tags():
    tagged = [["Ana", "B-person"], ["Lopez", "I-person"], ["in", "O"], ["Rome", "B-location"]]
    assert names.spans(tagged) == ["Ana Lopez", "Rome"]


def test_a_name_counts_once_however_often_it_is_found():
    assert names.score(["Rome", "the Rome", "Paris"], ["Rome", "Ana"]) == (1, 2, 1, 2)


def test_pairs_of_a_document_leave_dates_out_and_have_no_direction():
    doc = relations.read(
        {
            "sents": [["Ana", "lives", "in", "Rome", "."], ["Bo", "came", "in", "1999", "."]],
            "vertexSet": [
                [{"name": "Ana", "sent_id": 0, "type": "PER"}],
                [{"name": "Rome", "sent_id": 0, "type": "LOC"}],
                [{"name": "Bo", "sent_id": 1, "type": "PER"}],
                [{"name": "1999", "sent_id": 1, "type": "TIME"}],
            ],
            "labels": [
                {"r": "P551", "h": 0, "t": 1},
                {"r": "P26", "h": 0, "t": 2},
                {"r": "P580", "h": 2, "t": 3},
            ],
        }
    )
    assert doc.pairs == {frozenset((0, 1)), frozenset((0, 2))}
    assert doc.near == {frozenset((0, 1))}
    found = Found(
        entities=(FoundEntity(name="Rome"), FoundEntity(name="Ana"), FoundEntity(name="Zoe")),
        facts=(
            FoundFact(source=1, target=0, name="LIVES_IN", predicate="LIVES_IN", fact=""),
            FoundFact(source=1, target=2, name="KNOWS", predicate="KNOWS", fact=""),
        ),
    )
    links = list(relations.links(found, doc))
    assert links == [("LIVES_IN", 0, 1)]
    assert relations.typed("P551 residence", links) == {(0, 1)}
    assert relations.typed("P112 founded by", [("FOUNDED", 0, 1)]) == {(1, 0)}


def test_f1_is_the_harmonic_mean_over_all_units():
    units = np.array([(1, 1, 1, 1), (0, 1, 0, 3)], dtype=np.float64)
    assert float(f1(units.sum(axis=0))) == pytest.approx(2 * 0.5 * 0.25 / 0.75)


def test_an_interval_holds_the_figure_and_is_the_same_every_time():
    units = np.array([(number % 2, 1) for number in range(100)], dtype=np.float64)
    first = estimate(units, ratio)
    assert first.value == 0.5
    assert 0.38 < first.low < 0.45 < 0.55 < first.high < 0.62
    assert first == estimate(units, ratio)


def test_ranking_measures_are_those_of_the_textbook():
    ranked, wanted = [4, 2, 9, 7], frozenset({2, 7})
    assert ranking.recall_at(ranked, wanted, 3) == 0.5
    assert ranking.reciprocal(ranked, wanted) == 0.5
    ideal = 1 + 1 / np.log2(3)
    assert ranking.gain(ranked, wanted) == pytest.approx((1 / np.log2(3) + 1 / np.log2(5)) / ideal)


def test_facts_become_their_turns_in_rank_order_each_once():
    assert ranking.order(np.array([0.1, 0.9, 0.5, 0.5]), [3, 8, 8, 5]) == [8, 5, 3]


def test_the_best_fact_speaks_for_a_turn_and_a_turn_without_one_comes_last():
    best = locomo.best_of(np.array([0.2, 0.7, -1.0]), [0, 0, 2], 3)
    assert best.tolist() == [0.7, -1.0, -1.0]


def test_word_search_knows_stems_and_prefers_rare_words():
    scores = ranking.Words(["Ana paints", "Ana sleeps", "Ana sings"]).scores("Did Ana go painting?")
    assert int(scores.argmax()) == 0
    assert scores[0] > scores[1] == scores[2]


def test_scores_that_do_not_differ_become_zero():
    assert ranking.standard(np.array([3.0, 3.0])).tolist() == [0.0, 0.0]


def test_evidence_is_read_from_malformed_marks_and_unknown_turns_are_dropped():
    turn = {"speaker": "Ana", "text": "Hi"}
    raw = {
        "conversation": {
            "session_1": [{"dia_id": "D1:1", **turn}, {"dia_id": "D1:2", **turn}],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
        },
        "qa": [
            {"question": "Who?", "evidence": ["D1:2; D1:1"], "category": 1},
            {"question": "Why?", "evidence": ["D", "D9:9"], "category": 1},
        ],
    }
    conversation = conversations.read(raw)
    assert [item.wanted for item in conversation.questions] == [frozenset({0, 1})]
    assert conversation.turns[1].at == datetime(2023, 5, 8, 13, 56, 1, tzinfo=UTC)


def test_a_turn_is_read_with_the_four_before_it_in_its_session():
    said = [{"dia_id": f"D1:{n}", "speaker": "Ana", "text": f"no {n}"} for n in range(1, 7)]
    raw = {
        "conversation": {
            "session_1": said,
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [{"dia_id": "D2:1", "speaker": "Bo", "text": "later"}],
            "session_2_date_time": "2:00 am on 9 May, 2023",
        },
        "qa": [],
    }
    readings = list(conversations.readings(conversations.read(raw)))
    assert [turn.content for turn in readings[5].before] == ["no 2", "no 3", "no 4", "no 5"]
    assert readings[6].before == ()


def test_a_conversation_becomes_a_thread_for_each_session_with_its_first_speaker_as_user():
    raw = {
        "conversation": {
            "session_1": [
                {"dia_id": "D1:1", "speaker": "Ana", "text": "Hi"},
                {"dia_id": "D1:2", "speaker": "Bo", "text": "Hello"},
            ],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [{"dia_id": "D2:1", "speaker": "Bo", "text": "later"}],
            "session_2_date_time": "2:00 am on 9 May, 2023",
        },
        "qa": [],
    }
    memory = search_locomo.remembered("one", conversations.read(raw)).memory
    assert memory.first_name == "Ana"
    told = [[(m.place, m.speaker, m.role) for m in s.messages] for s in memory.sessions]
    assert told == [[(0, "Ana", "user"), (1, "Bo", "norole")], [(2, "Bo", "norole")]]


def _history() -> search_longmemeval.History:
    raw = {
        "question_id": "q",
        "question": "Where?",
        "question_type": "single-session-user",
        "question_date": "2023/12/21 (Thu) 21:31",
        "haystack_dates": ["2023/09/03 (Sun) 18:27", "2023/08/11 (Fri) 15:58"],
        "haystack_session_ids": ["later", "earlier"],
        "session_keys": ["a", "b"],
        "answer_session_ids": ["later"],
    }
    sessions = {
        "a": [{"role": "user", "content": "x" * 5_000, "has_answer": True}],
        "b": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}],
    }
    return search_longmemeval.read(raw, sessions)


def test_a_history_is_in_the_order_of_its_dates_and_parts_of_a_turn_share_its_place():
    history = _history()
    assert history.owners == ("earlier", "earlier", "later")
    assert history.turns == {2}
    assert [[m.place for m in s.messages] for s in history.memory.sessions] == [[0, 1], [2, 2]]
    assert history.memory.sessions[1].messages[1].at.second == 1


def test_a_long_turn_is_cut_behind_lines_or_words_and_nothing_is_lost():
    text = "one two\nthree four five"
    cut = search_longmemeval.parts(text, 10)
    assert cut == ["one two\n", "three ", "four five"]
    assert "".join(search_longmemeval.parts("x" * 25, 10)) == "x" * 25


def test_sessions_rank_by_their_first_turn():
    history = _history()
    assert search_longmemeval.session_measures([2, 0], history) == (1.0, 1.0, 1.0, 1.0, 1.0)
    gain = search_longmemeval.session_measures([1, 0, 2], history)[4]
    assert gain == pytest.approx(1 / np.log2(3))
    assert search_longmemeval.session_measures([0, 1], history) == (0.0,) * 5


def test_a_turn_found_by_two_facts_counts_where_it_comes_first():
    assert found.distinct([4, 7, 4, 2, 7]) == [4, 7, 2]


def test_constants_of_search_are_changed_for_a_while_and_unknown_ones_refused():
    before = finder.RERANK_BUDGET_S
    values = found.settings("finder.RERANK_BUDGET_S = 7.5; neighbours.DECAY=()")
    assert values == {"finder.RERANK_BUDGET_S": 7.5, "neighbours.DECAY": ()}
    with found.changed(values):
        assert finder.RERANK_BUDGET_S == 7.5
    assert before == finder.RERANK_BUDGET_S
    with pytest.raises(AttributeError), found.changed({**values, "finder.NOTHING": 1}):
        pass
    assert before == finder.RERANK_BUDGET_S


def test_every_ablation_names_constants_that_search_has():
    for values in found.ABLATIONS.values():
        with found.changed(values):
            pass


def test_a_difference_compares_the_same_questions():
    assert found.difference([0.0, 1.0], [0.5, 1.0]).startswith("+25.0 (")
    assert found.difference([0.2, 0.4], [0.2, 0.4]) == "+0.0 (+0.0 to +0.0)"


def test_means_are_taken_by_column():
    assert [item.value for item in means([(1.0, 0.0), (0.0, 0.0)])] == [0.5, 0.0]


def test_a_miss_tells_ranks_and_what_came_first():
    told = found.missed("Who?", {0, 2}, [1, 2], ["a", "b", "c"])
    assert told.splitlines() == [
        *("? Who?", "  wanted at no place: a", "  wanted at 2: c", "    1. b", "  * 2. c"),
    ]


def test_what_was_made_once_is_not_made_again_and_makers_do_not_share(tmp_path):
    asked: list[list[int]] = []

    def make(places: list[int]) -> list[bytes]:
        asked.append(places)
        return [b"made" for _ in places]

    held = kept.Kept(tmp_path / "made.db", "one")
    assert held.all([b"a", b"b", b"a"], make) == [b"made"] * 3
    assert len(asked[0]) == 2
    kept.Kept(tmp_path / "made.db", "one").all([b"b"], make)
    assert len(asked) == 1
    kept.Kept(tmp_path / "made.db", "two").all([b"b"], make)
    assert asked[1] == [0]


def test_only_the_chosen_ways_are_searched():
    assert Options().wants("facts, rrf")
    assert Options(ways="episodes; facts").wants("facts")
    assert not Options(ways="episodes; facts").wants("facts, rrf")


def test_a_sample_is_spread_over_everything():
    assert Options(sample=3).take(range(9)) == [0, 3, 6]
    assert Options().take(range(3)) == [0, 1, 2]


def test_writing_the_page_again_replaces_only_its_own_tables():
    table = Table("A title", ("system", "F1"), (("ours", "1.0"),))
    first = page("# Extraction\n\nProse stays.\n", "carb", [table], "commit a")
    second = page(first, "carb", [table], "commit b")
    assert second == first.replace("commit a", "commit b")
    assert "Prose stays." in second
    assert second.count("| ours | 1.0 |") == 1
