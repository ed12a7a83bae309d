"""Noun phrases: the words that name an entity, and its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from recollect.extract.prose.syntax import NAME_WORDS_MAX, child, quotation
from recollect.extract.prose.words import (
    DOCUMENTS,
    EMPTY,
    EVALUATIVE,
    EVENTS,
    JOBS,
    LIGHT,
    MONTHS_DAYS,
    ORGANIZATIONS,
    PEOPLE,
    PETS,
    PLACES,
    UNITS,
    gerund,
    listed,
)
from recollect.graph.found import EntityKind

if TYPE_CHECKING:
    from spacy.tokens import Token

_LABELS: dict[str, EntityKind] = {
    "PERSON": "person",
    "ORG": "organization",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "EVENT": "event",
    "WORK_OF_ART": "document",
    "PRODUCT": "object",
}
NAMED = frozenset(_LABELS)
_TIMES = frozenset({"DATE", "TIME", "PERCENT", "ORDINAL"})
_SHORT_DATES = listed(  # "jan", "mar", "sat" and "sun" are also names and words
    "feb apr jun jul aug sep sept oct nov dec mon tue tues wed weds thu thur thurs fri"
)
_NUMBERS = frozenset({"CARDINAL", "MONEY", "QUANTITY"})
_LEFT = frozenset({"compound", "amod", "nmod", "nummod", "poss", "punct", "advmod", "quantmod"})
VALUE = regex.compile(
    r"[\w.+-]+@[\w-]+\.[\w.-]*\w"
    r"|\+?\(?\d[\d() .-]{5,}\d"
    r"|(?=[\w-]*\d)[A-Z0-9]{1,}[-_]?[A-Z0-9-]{2,}"
    r"|#\d+|\d+(?:[.,]\d+)*"
)
_SHORT = regex.compile(r"(?:\p{L}\.){2,}|[JS]r\.")
EMAIL = regex.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*\w")
_PARTICLES = listed(
    "van von de der den del della di da du la le el al bin ibn ter ten af dos das y"
)
_TITLES = frozenset({"Dr", "Prof", "Professor", "Mr", "Mrs", "Ms", "Miss", "Sir", "Rev"})
_PITY = listed("poor dear darling beloved sweet silly naughty")
_NEEDS_MORE = listed(
    "work listen look go talk live participate take care learn be hang spend get volunteer think come"
    " belong deal help invest specialize speak write read compete perform connect focus give"
)
_BARE = listed("have be do make get go take give keep see let know feel say put help try")
_NOUNS: tuple[tuple[EntityKind, frozenset[str]], ...] = (
    ("animal", PETS),
    ("event", EVENTS),
    ("document", DOCUMENTS),
    ("place", PLACES),
    ("organization", ORGANIZATIONS),
    ("person", PEOPLE),
)


def core(head: Token) -> Token:
    """Skip "a lot of", "a cup of" and "one of" to reach the noun that matters."""
    for _ in range(3):
        measured = head.lower_ in UNITS and child(head, "nummod", "det") is not None
        if head.lemma_.lower() not in LIGHT and not measured:
            break
        of = next(
            (item for item in head.children if item.dep_ == "prep" and item.lower_ == "of"), None
        )
        inner = child(of, "pobj") if of is not None else None
        if inner is None:
            break
        head = inner
    return head


def is_time(head: Token) -> bool:
    """Whether it is a date or a duration, which is never an entity."""
    if head.ent_type_ in _TIMES and head.pos_ != "PROPN":
        return True
    if head.lower_ in _SHORT_DATES and head.ent_type_ != "PERSON":
        return True
    day = head.lower_ in MONTHS_DAYS or head.lower_.removesuffix("s") in MONTHS_DAYS
    return day or (head.ent_type_ in _TIMES and head.tag_ != "NNP")


def words(head: Token) -> list[Token]:
    """The tokens of the name: compounds, distinguishing adjectives, a short "of" phrase."""
    found = [head]
    for item in head.lefts:
        if item.dep_ in _LEFT and _telling(item, head):
            found.extend(_inside(item))
    found.extend(_to_the_right(head))
    found = sorted(set(found), key=lambda item: item.i)
    while found and (found[0].is_punct or found[0].tag_ in ("DT", "PDT", "POS", "CC")):
        found.pop(0)
    while found[:1] and _before_a_name(found[0], head):
        found.pop(0)
    return found[-NAME_WORDS_MAX:]


def _before_a_name(word: Token, head: Token) -> bool:
    """The "cat" of "cat Miso" and the "Poor" of "Poor Miso" are not part of the name."""
    if word.i >= head.i or head.tag_ != "NNP" or not head.text[:1].isupper():
        return False
    sort = word.text.islower() and word.is_alpha and word.lower_ not in _PARTICLES
    return sort or (word.pos_ == "ADJ" and word.lower_ in _PITY and word.i == head.i - 1)


def calling(head: Token) -> str:
    """The words before a name that say what it is: "beagle" in "our beagle Biscuit"."""
    before = [item for item in head.lefts if item.dep_ in ("amod", "compound")]
    return " ".join(item.text for item in before if _before_a_name(item, head))


def _inside(item: Token) -> list[Token]:
    return [word for word in item.subtree if word.dep_ not in ("det", "poss", "predet")]


def _telling(item: Token, head: Token) -> bool:
    if item.dep_ == "poss" or (_is_person(head) and not _of_a_person(item)):
        return False
    if item.dep_ in ("amod", "advmod"):
        return item.lower_ not in EVALUATIVE and item.tag_ not in ("JJR", "JJS", "RB", "RBR", "RBS")
    if item.dep_ == "nummod":
        return head.pos_ == "PROPN" or (
            not item.is_alpha and item.i == head.i - 1 and _titled(item)
        )
    if item.dep_ == "punct":
        return item.text in ("-", "'")
    return item.dep_ != "quantmod"


def _is_person(head: Token) -> bool:
    return bool(head.pos_ == "PROPN" and head.ent_type_ == "PERSON")


def _of_a_person(item: Token) -> bool:
    """Whether it is part of a person's name, unlike "French author" before "Bill Bryson"."""
    if item.dep_ == "punct":
        return True
    return item.ent_type_ == "PERSON" or (item.pos_ == "PROPN" and not item.ent_type_)


def _titled(number: Token) -> bool:
    """Whether a number belongs to a title ("the 7 habits") and is not a count ("7 cats")."""
    before = number.doc[number.i - 1] if number.i else None
    return before is not None and before.lower_ == "the"


def _to_the_right(head: Token) -> list[Token]:
    found: list[Token] = []
    for item in head.rights:
        near = item.i == head.i + 1
        if item.dep_ in ("nummod", "npadvmod") and near and _numbers(item, head):
            found.append(item)
        elif item.dep_ == "prep" and near and item.lower_ == "of":
            inner = child(item, "pobj")
            if inner is not None and inner.pos_ in ("NOUN", "PROPN") and _short(item):
                found.extend(item.subtree)
        elif item.dep_ in ("flat", "appos") and near and _same_name(head, item):
            found.extend(item.subtree)
    return found


def _numbers(number: Token, head: Token) -> bool:
    """Whether a number is part of a name ("Terminal 2"), not of a date or a telephone number after it."""
    after = number.nbor(1) if number.i + 1 < len(number.doc) else None
    goes_on = after is not None and (after.like_num or is_time(after) or after.ent_type_ == "DATE")
    return number.like_num and head.pos_ == "PROPN" and not goes_on


def _short(prep: Token) -> bool:
    span = prep.right_edge.i - prep.left_edge.i
    pronoun = any(word.pos_ == "PRON" for word in prep.subtree)
    clause = any(word.dep_ in ("relcl", "acl", "conj") for word in prep.subtree)
    return span <= 5 and not pronoun and not clause


def _same_name(head: Token, item: Token) -> bool:
    return head.pos_ == "PROPN" and item.pos_ == "PROPN" and head.ent_type_ == item.ent_type_ != ""


def surface(word: Token) -> str:
    """The word as written; a name capitalised."""
    text = word.text
    small = word.pos_ == "PROPN" and word.ent_type_ in NAMED and text.islower() and text.isalpha()
    return text.capitalize() if small else text


def quoted(head: Token) -> str:
    """The quoted title that the word is part of."""
    span = quotation(head)
    return str(span.text).strip(" .,!?") if span is not None else ""


def entitled(head: Token) -> str:
    """The quoted title after a noun: the song "Mess of Blues"."""
    for item in head.children:
        if item.dep_ == "appos" and item.left_edge.i and quotation(item) is not None:
            return quoted(item)
    return ""


def name(head: Token) -> str:
    """The name, in the words of the text without articles and evaluative adjectives."""
    parts = words(head)
    if not parts:
        return ""
    text = "".join(
        surface(word) + (word.whitespace_ if after.i == word.i + 1 else " ")
        for word, after in zip(parts, [*parts[1:], parts[-1]], strict=True)
    )
    return text.strip(" \"'.,;:!?-") + ("." if _SHORT.fullmatch(parts[-1].text) else "")


def activity(verb: Token) -> str:
    """The name of an activity, the same for "play the piano" and "playing the piano"."""
    first = verb.lower_ if verb.tag_ == "VBG" else gerund(verb.lemma_.lower())
    rest: list[Token] = []
    for item in verb.rights:
        if item.dep_ == "prt" or (item.dep_ == "dobj" and item.pos_ in ("NOUN", "PROPN")):
            rest.extend(word for word in item.subtree if not _loose(word, item))
        elif item.dep_ == "xcomp" and item.tag_ == "VBG" and not rest:
            return f"{first} {activity(item)}"
        elif item.dep_ == "prep" and not rest and verb.lemma_.lower() in _NEEDS_MORE:
            inner = child(item, "pobj")
            if inner is not None and inner.pos_ in ("NOUN", "PROPN") and not is_time(inner):
                rest.extend([item, *words(inner)])
    rest = [word for word in rest if word.pos_ != "PRON"][: NAME_WORDS_MAX - 2]
    if not rest and verb.lemma_.lower() in _BARE:
        return ""
    return " ".join([first, *(word.text for word in rest)])


def _loose(word: Token, head: Token) -> bool:
    """Whether a word of the object is not part of the activity's name."""
    while word != head:
        if word.dep_ in ("relcl", "acl", "conj", "cc", "punct", "prep", "advcl", "poss", "appos"):
            return True
        word = word.head
    return False


def kind(head: Token, proper: bool) -> EntityKind | None:
    """The kind of entity, by its noun or by the parser's label."""
    before = head.doc[head.i - 1] if head.i else None
    pitied = before is not None and before.lower_ in _PITY and _before_a_name(before, head)
    if proper and not pitied:  # otherwise the label covers more words than the name
        return told_kind(head) or _LABELS.get(head.ent_type_)
    return told_kind(head)


def told_kind(head: Token) -> EntityKind | None:
    """The kind of entity by its noun alone, or by the title before a name: "Dr. Nwosu"."""
    if any(item.dep_ == "compound" and item.text.rstrip(".") in _TITLES for item in head.lefts):
        return "person"
    before = [
        item
        for item in head.lefts  # "the cat Miso"
        if item.dep_ == "compound" and item.pos_ == "NOUN" and _before_a_name(item, head)
    ]
    lemmas = [item.lemma_.lower() for item in (head, *before)]
    return next((sort for lemma in lemmas for sort, members in _NOUNS if lemma in members), None)


def worth_naming(head: Token) -> bool:
    """Whether a noun can be an entity, unlike a bare "thing", "time" or "lot", or a date."""
    if is_time(head) or head.pos_ in ("PRON", "DET", "PUNCT", "SYM", "ADV"):
        return False
    if head.pos_ == "NUM" or (head.ent_type_ in _NUMBERS and head.pos_ != "PROPN"):
        return head.pos_ != "NUM"
    if head.lemma_.lower() in EMPTY or head.lower_ in EMPTY:
        return len(words(head)) > 1
    return True


def quantity(head: Token) -> str:
    """An amount with its unit: "80 kg", "$90,000"."""
    if head.ent_type_ not in ("QUANTITY", "MONEY") or head.pos_ == "PROPN":
        return ""
    parts = [word for word in head.subtree if word.ent_type_ == head.ent_type_]
    return "".join(word.text_with_ws for word in parts).strip()


def is_job(head: Token) -> bool:
    """Whether the noun is what someone works as."""
    return head.lemma_.lower() in JOBS or head.lower_ in JOBS
