"""Queries on the dependency parse, and repairs of frequent parser errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from recollect.extract.prose.words import KIN, PEOPLE, PETS, listed, third

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacy.tokens import Doc, Span, Token

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass"})
FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
AUXILIARIES = frozenset({"aux", "auxpass"})
_PHRASE = frozenset({"det", "amod", "compound", "poss", "nummod"})
_SEEMING = listed("be seem feel take become get")
ENABLING = frozenset({"can", "could", "would", "may", "might"})
_LOWER = frozenset({"relcl", "acl", "advcl", "csubj", "pcomp"})
_DEGREES = frozenset({"too", "enough"})
_WHOM = frozenset({"me", "him", "us", "them"})


def verbal(token: Token) -> bool:
    """Whether the token can head a clause."""
    return token.tag_[:2] == "VB" or token.tag_ == "MD" or token.pos_ in ("VERB", "AUX")


def child(token: Token, *deps: str) -> Token | None:
    """The first dependent with one of these labels."""
    return next((item for item in token.children if item.dep_ in deps), None)


def coordinated(token: Token) -> list[Token]:
    """The token and its conjuncts, in order."""
    found = [token]
    for item in found:
        found.extend(other for other in item.children if other.dep_ == "conj")
    return found


def subjects_of(head: Token) -> tuple[Token, ...]:
    """The heads of a verb's subject; of two, the one nearer to the verb: "Tom, today I left"."""
    found = [item for item in head.children if item.dep_ in SUBJECTS]
    if not found or found[0].tag_ == "EX":
        return ()
    before = [item for item in found if item.i < head.i]
    return tuple(coordinated(before[-1] if before else found[0]))


def verb_chain(head: Token) -> tuple[Token, ...]:
    verbs = [head]
    while True:
        inner = next(
            (
                item
                for item in verbs[-1].children
                if item.dep_ == "xcomp" and verbal(item) and not subjects_of(item)
            ),
            None,
        )
        thing = child(verbs[-1], "dobj")
        if thing is not None and thing.lemma_ in ("chance", "opportunity"):
            inner, thing = child(thing, "acl"), None
        if inner is None or thing is not None or not verbal(inner):
            return tuple(verbs)
        if verbs[-1].lemma_ == "go" and inner.tag_ == "VBG":  # "go hiking" is a single activity
            return tuple(verbs)
        verbs.append(inner)


def is_embedded_question(head: Token) -> bool:
    """Whether it is an embedded question: "why I started", "how much she liked it"."""
    before = [item for item in head.children if item.i < head.i]
    if any(item.tag_ in ("WRB", "WP", "WDT") and item.lower_ != "when" for item in before):
        return True
    degrees = [item for item in before if item.dep_ in ("advmod", "acomp", "dobj", "attr")]
    return any(word.lower_ == "how" for item in degrees for word in item.children)


def has_auxiliary(head: Token) -> bool:
    return any(item.dep_ in AUXILIARIES for item in head.children)


def has_been(head: Token) -> bool:
    return any(item.lemma_ in ("be", "have") for item in head.children if item.dep_ == "aux")


def opens(verb: Token) -> bool:
    """Whether nothing before the verb could be its subject."""
    return all(
        item.dep_ in ("advmod", "aux", "auxpass", "neg", "intj", "cc", "punct", "prep", "mark")
        or item.ent_type_ in ("DATE", "TIME")
        or (item.dep_ == "advcl" and not subjects_of(item))
        for item in verb.lefts
    )


def is_bare(verb: Token) -> bool:
    """Whether only a coordinated verb follows the verb."""
    return all(item.dep_ in ("conj", "cc", "punct", "advmod") for item in verb.rights)


def group_before(verbs: tuple[Token, ...], until: Token) -> tuple[Token, ...]:
    """The verb group in front of *until*: auxiliaries, negation, "to"."""
    kept = ("aux", "auxpass", "neg", "prt", "advmod")
    words = [
        word
        for verb in verbs
        for word in (verb, *verb.children)
        if word == verb or (word.dep_ in kept and word.i < until.i)
    ]
    return tuple(sorted(words, key=lambda word: word.i))


def shared_helpers(head: Token, item: Token) -> tuple[Token, ...]:
    """Auxiliaries that a joined verb borrows: "will go and *see*", "was running and *reading*"."""
    own = any(word.dep_ in ("aux", "auxpass") for word in item.children)
    if own or head.tag_ != item.tag_ or item.tag_ not in ("VB", "VBG", "VBN"):
        return ()
    return tuple(word for word in head.children if word.dep_ in ("aux", "auxpass", "neg"))


def is_purpose(verb: Token) -> bool:
    """Whether a clause says what something is for: "so I can rest", "so that she knows"."""
    before = [item for item in verb.children if item.i < verb.i]
    so = any(item.lower_ == "so" and item.dep_ in ("advmod", "mark", "cc") for item in before)
    that = any(item.lower_ == "that" and item.dep_ == "mark" for item in before)
    return so and (that or any(item.lower_ in ENABLING for item in before))


def is_below(token: Token, unit: Sequence[Token]) -> bool:
    """Whether a word is in a clause below the main one of *unit*: relative, adverbial, or a gerund."""
    places = {item.i for item in unit}
    while token.head != token and token.i in places:
        if token.dep_ in _LOWER:
            return True
        token = token.head
    return False


def is_around(noun: Token, pronoun: Token) -> bool:
    """Whether a pronoun is part of the noun's own phrase, and so stands for something else: "life without *it*"."""
    while pronoun.head != pronoun and not verbal(pronoun.head):
        pronoun = pronoun.head
        if pronoun == noun:
            return True
    return False


def text_of(tokens: Sequence[Token]) -> str:
    """The text of some tokens."""
    return "".join(spaced(tokens)).rstrip()


def spaced(tokens: Sequence[Token]) -> list[str]:
    """Each word with the space after it, even if the next word did not follow it in the text."""
    after = [*tokens[1:], None]
    return [
        token.text + (token.whitespace_ or (" " if is_apart(token, following) else ""))
        for token, following in zip(tokens, after, strict=True)
    ]


def is_apart(token: Token, following: Token | None) -> bool:
    """Whether two words were not adjacent in the text."""
    return following is not None and following.i != token.i + 1


NAME_WORDS_MAX = 8
IsVerb = Callable[[str], bool]
_TREE: list[int | str] = ["HEAD", "DEP"]


def repair(doc: Doc, is_verb: IsVerb) -> Doc:
    """Correct tags and heads: the "work" of "I live in Oslo and work at Equinor" is a verb."""
    given: Any = doc.to_array(_TREE)
    for token in doc:
        _mend(token, is_verb)
    if not _is_tree(doc):
        doc.from_array(_TREE, given)
    return doc


def _mend(token: Token, is_verb: IsVerb) -> None:
    if token.dep_ in ("conj", "cc") and is_title(quotation(token)):
        token.dep_ = "flat"
    elif token.dep_ == "conj":
        _joined(token, is_verb)
    elif token.dep_ == "nsubj" and token.lower_ == "it" and _stands_for_a_clause(token):
        token.dep_ = "expl"
    elif token.dep_ == "pobj" and token.tag_ == "RB":
        _named_before(token)
    if token.tag_ == "POS" and token.head.lower_ == "name" and token.head.dep_ == "poss":
        _name_is(token)
    _finite(token)
    if token.is_sent_start:
        _opening(token, is_verb)
    if token.tag_ == "VBZ" and token.lower_.endswith("es"):
        _base_form(token, is_verb)
    _name(token)


def _finite(token: Token) -> None:
    if token.dep_ == "auxpass" and token.lower_ in ("'s", "\u2019s"):
        _has(token)
    if token.tag_ == "VBN" and token.dep_ == "ROOT" and _is_bare_past(token):
        token.tag_ = "VBD"  # "Dyed my hair last week"


def _is_tree(doc: Doc) -> bool:
    """Whether every word leads to the root of its sentence, as two corrections together may not."""
    ends = {token.i for token in doc if token.head.i == token.i}
    for token in doc:
        path = []
        while token.i not in ends and token.i not in path:
            path.append(token.i)
            token = token.head
        if token.i in path:
            return False
        ends.update(path)
    return True


def quotation(token: Token) -> Span | None:
    """The short quotation that contains a word, without its quotation marks."""
    doc, at = token.doc, token.i
    left = _nearest_mark(doc, range(at - 1, max(at - 1 - NAME_WORDS_MAX, -1), -1))
    right = _nearest_mark(doc, range(at + 1, min(at + 1 + NAME_WORDS_MAX, len(doc))))
    if left is None or right is None or left.text != right.text:
        return None
    if sum(word.text == left.text and _is_mark(word) for word in doc[: left.i]) % 2:
        return None  # between the end of one quotation and the beginning of the next
    return doc[left.i + 1 : right.i]


def _nearest_mark(doc: Doc, places: Iterable[int]) -> Token | None:
    return next((doc[place] for place in places if _is_mark(doc[place])), None)


def _is_mark(token: Token) -> bool:
    """Whether it is a quotation mark; the apostrophe in "the boys' room" is not."""
    return token.text == '"' or (token.text == "'" and token.tag_ != "POS")


def is_title(span: Span | None) -> bool:
    """Whether a quotation looks like a title: 'War and Peace'."""
    return span is not None and span[0].is_title and span[-1].is_title


def _name(token: Token) -> None:
    if token.text == "-" and token.tag_ == "NN":
        _hyphenated(token)
    if token.dep_ == "nsubj" and token.pos_ == "PROPN":
        _called(token)
        _named_and(token)
    if token.tag_ == "NN" and _is_surname(token):
        token.tag_, token.pos_ = "NNP", "PROPN"


def _joined(token: Token, is_verb: IsVerb) -> None:
    if token.tag_ == "NN" and _is_joined_verb(token, is_verb):
        token.tag_, token.pos_, token.lemma_ = "VBP", "VERB", token.lower_
    elif token.tag_ == "NN" and (lemma := _joined_deed(token, is_verb)):
        token.tag_, token.pos_, token.lemma_ = "VBG", "VERB", lemma
    elif token.tag_ in ("VBD", "VBN") and _is_infinitive(token):
        token.tag_ = "VB"
    elif token.tag_ in ("VB", "VBP") and not is_verb(token.lower_):
        _back_into_list(token)


def _is_joined_verb(token: Token, is_verb: IsVerb) -> bool:
    if token.head.tag_ not in ("VBP", "VBZ") or not is_verb(token.lower_):
        return False
    parts = {item.dep_ for item in token.children}
    return not parts & _PHRASE and bool(parts & {"prep", "dobj"})


def _is_infinitive(token: Token) -> bool:
    """The "put" of "I hope to build a home and put a roof over it"."""
    alone = not any(item.dep_ in ("nsubj", "aux", "auxpass") for item in token.children)
    return alone and token.lower_ == token.lemma_.lower() and token.head.tag_ == "VB"


def _joined_deed(token: Token, is_verb: IsVerb) -> str:
    """The verb of "been reading and *painting*"."""
    stem = token.lower_.removesuffix("ing")
    helped = any(item.dep_ == "aux" for item in token.head.children)
    if token.head.tag_ != "VBG" or not helped or stem == token.lower_ or len(stem) < 3:
        return ""
    if {item.dep_ for item in token.children} & _PHRASE:
        return ""
    return next((form for form in (stem, stem + "e", stem[:-1]) if is_verb(form)), "")


def _back_into_list(token: Token) -> None:
    """ "allergic to peanuts and shellfish": a word that is not a verb belongs to the nouns before it."""
    start = token.i - 1
    if start < 1 or token.doc[start].dep_ != "cc" or any(not t.is_punct for t in token.children):
        return
    before = token.doc[start - 1]
    if before.pos_ in ("NOUN", "PROPN") and before.dep_ in ("pobj", "dobj", "conj"):
        token.head, token.tag_, token.pos_ = before, "NN", "NOUN"
        token.lemma_ = token.lower_


def _stands_for_a_clause(it: Token) -> bool:
    """ "it is important to rest": "it" stands for what follows."""
    verb = it.head
    if verb.lemma_.lower() not in _SEEMING:
        return False
    complement = child(verb, "acomp", "oprd")
    if complement is None:
        return False
    if any(item.lower_ in _DEGREES for item in complement.children):
        return False
    return any(_is_clausal(item) for item in (*verb.rights, *complement.rights))


def _is_clausal(item: Token) -> bool:
    if item.dep_ not in ("xcomp", "ccomp", "advcl", "csubj") or not verbal(item):
        return False
    mark = child(item, "mark")
    to = any(word.tag_ == "TO" for word in item.children)
    that = mark is not None and mark.lower_ == "that"
    return to or that or (item.dep_ in ("xcomp", "csubj") and item.tag_ == "VBG")


def _named_before(token: Token) -> None:
    """ "500 mg of Metformin daily": the name is the object, not the adverb after it."""
    noun = token.doc[token.i - 1] if token.i else None
    if noun is None or noun.head != token or noun.dep_ != "compound":
        return
    prep = token.head
    noun.head, noun.dep_ = prep, "pobj"
    token.head, token.dep_ = prep.head, "advmod"


def _is_bare_past(verb: Token) -> bool:
    begins = not any(item.i < verb.i for item in verb.children if item.dep_ != "advmod")
    return begins and verb.lower_ != "been" and child(verb, "dobj") is not None


def _opening(token: Token, is_verb: IsVerb) -> None:
    if token.tag_ == "NNS" and token.dep_ == "ROOT":
        _bare_present(token, is_verb)
    elif token.tag_ in ("NN", "NNP", "JJ") and token.lower_.endswith("ed"):
        _bare_past(token, is_verb)


def _bare_past(token: Token, is_verb: IsVerb) -> None:
    """ "Refunded 49.90 on Monday", as in notes: the first word is a verb."""
    stem = next((form for form in (token.lower_[:-2], token.lower_[:-1]) if is_verb(form)), "")
    if stem and token.dep_ in ("ROOT", "ccomp") and child(token, "det", "compound", "amod") is None:
        token.tag_, token.pos_, token.lemma_ = "VBD", "VERB", stem


def _hyphenated(hyphen: Token) -> None:
    """ "Ana's e-mail": one noun, of which the parser made three objects."""
    if not 0 < hyphen.i < len(hyphen.doc) - 1:
        return
    first, last = hyphen.nbor(-1), hyphen.nbor(1)
    if first.whitespace_ or hyphen.whitespace_ or not first.dep_ == hyphen.dep_ == last.dep_:
        return
    if last in (first.head, first.head.head):  # "SSID rw-staff": it is above the others
        return
    last.head = first.head
    for item in [*first.children]:
        item.head = last
    first.head = hyphen.head = last
    first.dep_, hyphen.dep_ = "compound", "punct"


def _bare_present(token: Token, is_verb: IsVerb) -> None:
    """ "Lives in Berlin", as in notes about a person: the first word is a verb."""
    stem = next((form for form in (token.lower_[:-1], token.lower_[:-2]) if is_verb(form)), "")
    if stem and child(token, "prep") is not None and token.lower_.endswith("s"):
        token.tag_, token.pos_, token.lemma_ = "VBZ", "VERB", stem


def _has(short: Token) -> None:
    """ "Yoga's helped me to sleep": before whom it was done to, "'s" is "has", not "is"."""
    after = short.head.nbor(1).lower_ if short.head.i + 1 < len(short.doc) else ""
    subject = child(short.head, "nsubjpass")
    if after in _WHOM and subject is not None:
        short.dep_, short.lemma_, subject.dep_ = "aux", "have", "nsubj"


def _name_is(short: Token) -> None:
    """ "Her name's Coco": the "'s" is "is", not a possessive."""
    name, given = short.head, short.head.head
    if given.pos_ != "PROPN" or child(name, "poss") is None:
        return
    above, dep = (short if given.dep_ == "ROOT" else given.head), given.dep_
    beside = [item for item in given.children if item.dep_ not in ("compound", "flat", "poss")]
    short.head, short.dep_ = above, dep
    short.tag_, short.pos_, short.lemma_ = "VBZ", "AUX", "be"
    name.head, name.dep_ = short, "nsubj"
    given.head, given.dep_ = short, "attr"
    for item in beside:
        item.head = short


def _called(name: Token) -> None:
    """ "My cat Miso is ill": one subject, not two."""
    noun = name.doc[name.i - 1] if name.i else None
    if noun is None or noun.pos_ != "NOUN" or noun.head != name.head:
        return
    lemma = noun.lemma_.lower()
    whose = child(noun, "poss") is not None and (lemma in KIN or lemma in PETS)
    if whose and noun.dep_ in ("nsubj", "npadvmod", "dep"):
        noun.head, noun.dep_ = name, "compound"


def _named_and(name: Token) -> None:
    """ "She is called Rosa and the class has nine kids": Rosa and the class are not one subject."""
    verb, naming, other = name.head, name.left_edge, child(name, "conj")
    naming = naming.nbor(-1) if naming.i else naming
    if other is None or naming.head != verb or naming.dep_ != "ccomp" or not verbal(naming):
        return
    if naming.lemma_.lower() not in ("call", "name") or child(naming, "oprd", "dobj") is not None:
        return
    above, dep = verb.head, verb.dep_
    join = child(name, "cc")
    naming.head, naming.dep_ = (naming if above == verb else above), dep
    verb.head, verb.dep_ = naming, "conj"
    name.head, name.dep_ = naming, "oprd"
    other.head, other.dep_ = verb, "nsubj"
    if join is not None:
        join.head = naming


def _base_form(verb: Token, is_verb: IsVerb) -> None:
    """ "hates" is not a form of "hat": the lemma must inflect to the word."""
    stem = verb.lower_[:-1]
    if is_verb(stem) and third(verb.lemma_.lower()) != verb.lower_ and third(stem) == verb.lower_:
        verb.lemma_ = stem


def _is_surname(token: Token) -> bool:
    lemma = token.lemma_.lower()
    return (
        token.ent_type_ == "PERSON"
        and token.text.istitle()
        and lemma not in KIN
        and lemma not in PETS
        and lemma not in PEOPLE
    )
