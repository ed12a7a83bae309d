"""The summary of a user: whole sentences picked from the facts that hold.

It states nothing that a fact does not say. An instruction is answered by the facts that share its
words or its topic; the rest is filled by five questions that every summary answers.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
import regex

from recollect.graph import gist
from recollect.graph.summary import sentence
from recollect.graph.types import Record
from recollect.limits import USER_SUMMARY_CHARS_MAX

_ANSWERS_MAX = 6  # to one question; a long list of likes must not crowd out the rest
_SHARED_WORD = 2
_OWN_TOPIC = 1
_QUOTED = regex.compile(r'[^:.,"]{1,60}(?: \(asked ".+?"\))?: ')  # the speaker, what was asked


class UserFact(Record):
    """A fact about the user that holds. A larger number was learned later."""

    number: int
    fact: str
    predicate: str


class Topic(Record):
    """Related predicates, the most telling first, and the words that ask for them."""

    predicates: tuple[str, ...]
    words: frozenset[str]


def _stems(words: str) -> frozenset[str]:
    return frozenset(gist.stem(word) for word in words.split())


def _topic(predicates: str, words: str) -> Topic:
    return Topic(predicates=tuple(predicates.split()), words=_stems(words))


# Words that are common in instructions but that no fact is about.
_EMPTY = _stems(
    "user person summary summarize describe tell list include focus mention detail information"
    " anything everything track note know current main key important"
)


PERSON = _topic(
    "HAS_NAME IS_NAMED HAS_AGE LIVES_IN IS_FROM BORN_IN IS_A HAS_BIRTHDAY HAS_NATIONALITY SPEAKS"
    " MEMBER_OF HAS_ADDRESS HAS_TIMEZONE HAS_HEIGHT HAS_WEIGHT HAS_BLOOD_TYPE BELIEVES_IN"
    " MOVED_FROM IS",
    "age background birthday born city country home identity language live location name"
    " nationality origin person personal",
)
RELATIONSHIPS = _topic(
    "MARRIED_TO HAS_HUSBAND HAS_WIFE ENGAGED_TO DATES HAS_PARTNER HAS_GIRLFRIEND HAS_BOYFRIEND"
    " DIVORCED HAS_CHILD HAS_CHILDREN HAS_KIDS HAS_SON HAS_DAUGHTER GAVE_BIRTH_TO EXPECTS"
    " HAS_MOTHER HAS_FATHER HAS_SISTER HAS_BROTHER HAS_FRIEND HAS_PET HAS_DOG HAS_CAT LIVES_WITH"
    " KNOWS TRUSTS ADMIRES MISSES HELPS MET",
    "brother child children dog cat daughter family father friend husband kids mother parent"
    " partner people pet relationship relative sister son spouse wife",
)
WORK = _topic(
    "WORKS_AT WORKS_AS WORKS_ON WORKS_WITH WORKS_IN MANAGES REPORTS_TO FOUNDED STUDIES_AT STUDIES"
    " GRADUATED_FROM GRADUATED_IN TEACHES VOLUNTEERS_AT SPECIALIZES_IN EARNS APPLIED_TO HAS_JOB"
    " HAS_TITLE HAS_BOSS HAS_MANAGER HAS_SALARY",
    "boss business career colleague company education employer employment industry job manager"
    " occupation office profession professional project role school skill study team university"
    " work workplace",
)
PREFERENCES = _topic(
    "LIKES PREFERS DISLIKES INTERESTED_IN WANTS WANTS_TO PLANS PLANS_TO LOOKS_FORWARD_TO"
    " HAS_FAVORITE_COLOR HAS_FAVORITE_FOOD HAS_FAVORITE_BOOK HAS_FAVORITE_MOVIE HAS_FAVORITE_BAND"
    " HAS_FAVORITE_SONG HAS_FAVORITE_RESTAURANT PLAYS PRACTICES LISTENS_TO PROUD_OF",
    "aim ambition dislike enjoy favorite favourite goal hobby interest like love objective plan"
    " preference prefer taste want wish",
)
ASSISTANCE = _topic(
    "NEEDS ALLERGIC_TO DIAGNOSED_WITH AFRAID_OF WORRIED_ABOUT USES DRIVES OWNS EATS GRATEFUL_FOR",
    "allergy allergic answer assist assistance avoid concern condition diet dietary fear health"
    " help illness medical need problem reply response support tool tone worry",
)
_TOPICS = (PERSON, RELATIONSHIPS, WORK, PREFERENCES, ASSISTANCE)


def summarize(facts: Sequence[UserFact], instructions: Sequence[str] = ()) -> str:
    """At most `USER_SUMMARY_CHARS_MAX` characters of whole sentences, each fact once.

    Answers to the instructions come first, then those to the five questions. Questions take turns
    with their next best answer, so that none uses up all the room. What somebody is quoted with is
    told only if there is nothing else: "we're four people" says little without its conversation.
    """
    facts = [fact for fact in facts if not _says_nothing(fact)]
    facts = [fact for fact in facts if not _QUOTED.match(fact.fact)] or facts
    chosen = _Chosen()
    chosen.pick([_answers(facts, text) for text in instructions])
    chosen.pick([_of_topic(facts, topic) for topic in _TOPICS])
    if not chosen.places:
        chosen.pick([[_Answer(fact=fact, order=(0, fact.number)) for fact in _newest(facts)]])
    kept = [fact for fact in facts if fact.number in chosen.places]
    kept.sort(key=lambda fact: chosen.places[fact.number])
    return " ".join(sentence(fact.fact) for fact in kept)


def basis(instructions: Sequence[str]) -> str:
    """A digest of the instructions: when it changes, the summary must be rewritten."""
    return hashlib.sha256(msgspec.json.encode(list(instructions))).hexdigest()


class _Answer(Record):
    """A fact that answers a question; *order* is its position among the answers in the summary."""

    fact: UserFact
    order: tuple[int, int]


class _Chosen:
    """The answers that fit, by the number of their fact, with their order."""

    def __init__(self) -> None:
        self.places: dict[int, tuple[int, int, int]] = {}
        self._said: set[str] = set()
        self._room = USER_SUMMARY_CHARS_MAX
        self._questions = 0

    def pick(self, questions: Sequence[Sequence[_Answer]]) -> None:
        """Take one answer per question in turn, while there is room."""
        for rank in range(_ANSWERS_MAX):
            for place, answers in enumerate(questions, start=self._questions):
                if rank < len(answers):
                    self._take(place, answers[rank])
        self._questions += len(questions)

    def _take(self, place: int, answer: _Answer) -> None:
        fact = answer.fact
        length, mark = len(sentence(fact.fact)), gist.gist(fact.fact)
        if fact.number not in self.places and mark not in self._said and length <= self._room:
            self.places[fact.number] = (place, *answer.order)
            self._said.add(mark)
            self._room -= length + 1


def _says_nothing(fact: UserFact) -> bool:
    """Whether it only says that something exists, like "has a mother"."""
    thing = fact.predicate.removeprefix("HAS_").replace("_", " ").lower()
    return fact.fact.rstrip(".").lower().endswith((f" has a {thing}", f" has an {thing}"))


def _newest(facts: Iterable[UserFact]) -> list[UserFact]:
    return sorted(facts, key=lambda fact: -fact.number)


def _answers(facts: Iterable[UserFact], instruction: str) -> list[_Answer]:
    """The facts that answer an instruction, by how many words they share with it."""
    wanted = gist.words(instruction) - _EMPTY
    topics = [topic for topic in _TOPICS if topic.words & wanted]
    fits = [(_fit(fact, wanted, topics), fact) for fact in _newest(facts)]
    ranked = sorted(fits, key=lambda pair: -pair[0])
    return [_Answer(fact=fact, order=(-fit, fact.number)) for fit, fact in ranked if fit > 0]


def _fit(fact: UserFact, wanted: frozenset[str], topics: Sequence[Topic]) -> int:
    shared = wanted & (gist.words(fact.fact) | gist.words(fact.predicate.replace("_", " ")))
    own = any(fact.predicate in topic.predicates for topic in topics)
    return _SHARED_WORD * len(shared) + (_OWN_TOPIC if own else 0)


def _of_topic(facts: Iterable[UserFact], topic: Topic) -> list[_Answer]:
    """The facts of a topic: the newest of each relation, then the second newest of each."""
    ranked = []
    seen: Counter[str] = Counter()
    for fact in _newest(facts):
        if _within(fact, topic):
            answer = _Answer(fact=fact, order=(_rank(fact, topic), fact.number))
            ranked.append((seen[fact.predicate], answer))
            seen[fact.predicate] += 1
    ranked.sort(key=lambda pair: (pair[0], pair[1].order[0], -pair[1].fact.number))
    return [answer for _, answer in ranked]


def _rank(fact: UserFact, topic: Topic) -> int:
    known = fact.predicate in topic.predicates
    return topic.predicates.index(fact.predicate) if known else len(topic.predicates)


def _within(fact: UserFact, topic: Topic) -> bool:
    if fact.predicate in topic.predicates:
        return True
    known = any(fact.predicate in other.predicates for other in _TOPICS)
    return not known and bool(topic.words & gist.words(fact.predicate.replace("_", " ")))
