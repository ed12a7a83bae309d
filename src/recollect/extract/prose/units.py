"""Cuts a sentence into independent clauses, never into less.

People join statements with commas as often as with "and", and the parser then guesses which depends on
which. So every pause and conjunction is a candidate, and a cut is made where both sides are complete:
a subject with its verb, or a command. A verb that shares the subject before it takes a copy of it; an
item of a list under a heading takes a copy of the heading.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import regex

from recollect import limits
from recollect.extract.prose.syntax import (
    AUXILIARIES,
    ENABLING,
    FINITE,
    SUBJECTS,
    child,
    spaced,
    text_of,
    verbal,
)
from recollect.extract.prose.words import EPISTEMIC, REPORTING, UNCERTAIN, listed

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from spacy.tokens import Span, Token

_PAUSES = frozenset({",", ";", "-", "--", "\u2013", "\u2014", ":", "...", "\u2026"})
_STOPS = frozenset({".", "!", "?"})
_JOINS = frozenset({"and", "but", "so", "or", "plus", "&"})
_BREAKS = _PAUSES | _JOINS | _STOPS
_BEFORE_SUBJECT = frozenset({"advmod", "intj", "npadvmod", "cc", "punct", "neg", "dep"})
_BELOW = frozenset({"relcl", "acl", "pcomp", "csubj", "csubjpass", "xcomp"})
_CONTENT = frozenset(
    {"dobj", "attr", "acomp", "oprd", "prep", "xcomp", "ccomp", "npadvmod", "agent"}
)
_PERSONS = listed("i we he she they you")
_NO_COMMANDS = (
    EPISTEMIC | UNCERTAIN | listed("look wait thank let love like miss want need say get")
)
_SURE = listed("sure certain positive confident glad happy sorry afraid aware")
_SUPPOSING = frozenset({"given", "provided", "assuming", "considering", "seeing"})
_INVERTING = frozenset({"so", "nor", "neither"})
_WORDS_MIN = 3
_SUBJECT_MAX = 5
_AGE_MAX = 120
HEADING_MAX = 7
_ITEMS_MIN = 3
_ALONE_MIN = 3
_OPENING = regex.compile(
    r"(?:(?:and|but|so|also|plus|oh|well|anyway|anyways|hey|ok|okay|yeah|yes|yep|yup|right|look|listen|btw|fyi"
    r"|fwiw|basically|honestly|sure(?=,)|ugh|guys|folks|heads up|good news|bad news|(?:quick|short|small|another) (?:update|intro|note|question|one|thing)"
    r"|by the way|for the record|just so you know|in case you were wondering|between you and me|between us|as i said|to be honest|tbh"
    r"|(?:update|updated|reminder|correction|edit|done|noted|understood|got it|all set)(?=\s*[,:;.!\u2013\u2014-])"
    r"|you know(?=,| my\b| our\b| i\b| we\b| the\b)|i mean(?=,| i\b| we\b| my\b| it)"
    r"|(?:i )?(?:just )?want(?:ed)? to (?:let you know|tell you|mention|say)(?: that)?"
    r"(?= (?:i|we|my|our|the|he|she|they)\b))"
    r"\b(?!-\w| (?:far|many|much)\b)[\s,:!.\u2013\u2014-]*)+",
    regex.IGNORECASE,
)
_REMINDER = regex.compile(
    r"(?:please |pls |also |can you |could you |would you |i(?: want|'d like| need| would like) you to |just )*"
    r"(?:remember|don'?t forget|do not forget|never forget|make a note|note|keep in mind|bear in mind|be aware"
    r"|you should know|know)(?: that\b[\s,:]+|(?: this\b)?[\s,:\u2013\u2014-]+(?!to\b|me\b|my\b|when\b|how\b|if\b|about\b|that\b))",
    regex.IGNORECASE,
)
_ENDING = regex.compile(
    r"[\s,]+(?:by the way|btw|just so you know|i think|you know)[\s.!]*$", regex.I
)
_FEW = 5


class _Cut(NamedTuple):
    """Where a part begins. *shared* are earlier words that belong to it as well."""

    start: int
    shared: Sequence[Token] = ()


def units(sentence: Span, heading: Sequence[Token] = ()) -> list[list[Token]]:
    """The tokens of each independent clause, in order, without pauses and conjunctions.

    *heading* is the heading of the sentence, in it or before it.
    """
    begin = max(sentence.start, heading[-1].i + 1) if heading else sentence.start
    if not any(token.is_alpha or token.like_num for token in sentence.doc[begin : sentence.end]):
        return []  # a heading alone says nothing
    listed_before, rest = begin == sentence.start, sentence.doc[begin : sentence.end]
    if _opens_clause(rest) and (listed_before or rest[0].lower_ in _PERSONS):
        heading = ()  # a complete clause with a definite subject does not need it
    long = len(sentence) > limits.SENTENCE_TOKENS_MAX
    cuts = [_Cut(begin, heading), *(() if long else _cuts(sentence, begin))]
    if heading:
        breaks = _breaks(sentence, begin)
        members = list_items(sentence, begin, {cut.start for cut in cuts}, breaks)
        shared = {cut.start: cut.shared for cut in cuts if cut.shared is not heading}
        cuts = [
            _Cut(at, heading if short else shared.get(at, ())) for at, short in members.items()
        ] or cuts
    ends = [*(cut.start for cut in cuts[1:]), sentence.end]
    hard = set(_stops(sentence))
    found: list[list[Token]] = []
    for cut, end in zip(cuts, ends, strict=True):
        part = _trimmed(sentence, cut.start, end)
        if (
            found
            and not cut.shared
            and cut.start not in hard
            and sum(not token.is_punct for token in part) < _WORDS_MIN
        ):
            found[-1] = [*found[-1], *sentence.doc[found[-1][-1].i + 1 : _end(part, end)]]
        elif part:
            found.append([*cut.shared, *part])
    return [part for unit in found if (part := without_opening(unit))]


def _end(part: Sequence[Token], end: int) -> int:
    return part[-1].i + 1 if part else end


def _trimmed(sentence: Span, start: int, end: int) -> list[Token]:
    """The tokens without pauses at both ends, and without conjunctions before the next clause."""
    tokens = list(sentence.doc[start:end])
    joins = _JOINS if end < sentence.end else frozenset[str]()
    while tokens and (
        tokens[-1].text in _PAUSES or _is_join(tokens[-1], joins) or tokens[-1].is_space
    ):
        tokens.pop()
    while tokens and (tokens[0].text in _PAUSES or tokens[0].is_space):
        tokens.pop(0)
    return tokens


def _is_join(token: Token, joins: Collection[str]) -> bool:
    """Whether it joins two clauses; with a capital it is part of a name: "the Card Plus"."""
    return token.lower_ in joins and not token.is_title


def _breaks(sentence: Span, begin: int) -> list[int]:
    """Where a part may begin: after a pause or conjunction, outside quotation marks and brackets."""
    found: list[int] = []
    depth = 0
    quoted = False
    for token in sentence.doc[begin : sentence.end]:
        after = token.i > begin and sentence.doc[token.i - 1].lower_ in _BREAKS
        if after and not depth and not quoted and token.lower_ not in _BREAKS:
            found.append(token.i)
        quoted ^= token.text == '"'
        depth += token.text.count("(") - token.text.count(")")
    return found


def _stops(sentence: Span) -> list[int]:
    """Positions after full stops at which the parser did not end the sentence."""
    return [token.i + 1 for token in sentence[:-1] if token.text in _STOPS]


def _cuts(sentence: Span, begin: int) -> list[_Cut]:
    places = _breaks(sentence, begin)
    found: list[_Cut] = []
    last = first = (
        begin  # where the part before begins, and the clause that it shares its subject with
    )
    for place, end in pairwise([*places, sentence.end]):
        left, right = sentence.doc[last:place], sentence.doc[place:end]
        stops = sentence.doc[place - 1].text in _STOPS
        whole = left if last == first else sentence.doc[first:place]
        if stops or _is_own(left, right) or (whole is not left and _is_own(whole, right)):
            found.append(_Cut(place))
            last = first = place
        elif shared := _sharing(whole, right):
            found.append(_Cut(place, shared))
            last = place
    return found


def _is_own(left: Span, right: Span) -> bool:
    """Whether both parts are complete clauses."""
    main = _main_verb(left)
    if main is None or any(_hangs_on(token, right) for token in left if token != main):
        return False
    if _is_purpose(right) or _is_assured(main, right) or _is_open(left):
        return False
    if _opens_clause(right) or _is_splice(main, right):
        asked = _is_command(left) and right[0].nbor(-1).lower_ != "so"
        return _is_statement(main, left) or asked  # "call her so she knows": what for
    if not _opens_command(right):
        return False
    joint = right[0].nbor(-1).lower_
    if joint == "and" and not _is_command(left):
        return False  # "I'm from Ghent and live in Rome" tells nobody to live there
    joined = joint in _JOINS and _is_command(left)
    return not joined or any(token.dep_ == "neg" for token in right[:3])


def _is_purpose(right: Span) -> bool:
    """Whether a part says what the one before is good for: "I run so *I can keep up*"."""
    finite = next((token for token in right if token.tag_ in FINITE), None)
    return finite is not None and right[0].nbor(-1).lower_ == "so" and finite.lower_ in ENABLING


def _is_open(left: Span) -> bool:
    """Whether a part ends in a relative clause that has only its verb: "a firm that makes, they say, hats"."""
    words = [token for token in left if not token.is_punct]
    return bool(words) and words[-1].dep_ == "relcl" and words[-1].tag_ in FINITE


def _is_assured(main: Token, right: Span) -> bool:
    """Whether a part is what one is sure of: "I'm sure, with some work, *I can do it*"."""
    quality = child(main, "acomp")
    feels = quality is not None and quality.lower_ in _SURE and child(quality, "ccomp") is None
    return feels and right[0].nbor(-1).text == ","


def _hangs_on(token: Token, right: Span) -> bool:
    """Whether a clause or phrase before a cut modifies the verb after it: "when I sleep, I ..."."""
    return token.dep_ in ("advcl", "prep", "npadvmod") and right.start <= token.head.i < right.end


def _main_verb(part: Span) -> Token | None:
    """The first verb of a part that is not subordinate to another one, or to "if" and the like."""
    for token in part:
        if verbal(token) and token.dep_ not in AUXILIARIES and not _is_below(token):
            finite = token.tag_ in FINITE or any(
                item.tag_ in FINITE for item in token.children if item.dep_ in AUXILIARIES
            )
            if finite or token.tag_ in ("VB", "VBG"):
                return token
    return None


def _is_below(verb: Token) -> bool:
    """Whether a verb is subordinate: it modifies another word, or is what someone thinks or says."""
    top = verb
    while top.dep_ == "conj" and verbal(top.head) and child(top, "mark") is None:
        top = top.head
    if any(item.dep_ == "prep" and item.lower_ in _SUPPOSING for item in top.lefts):
        return True
    mark = child(top, "mark")
    if (mark is not None and mark.lower_ != "so") or top.dep_ in _BELOW:
        return True
    if any(item.tag_ in ("WRB", "WP", "WDT") and item.i < top.i for item in top.children):
        return True
    above = top.head
    told = above.lemma_.lower() in REPORTING | EPISTEMIC | UNCERTAIN
    return top.dep_ == "ccomp" and above.i < top.i and told


def _subject(verb: Token) -> Token | None:
    return child(verb, *SUBJECTS, "expl")


def _is_statement(verb: Token, part: Span) -> bool:
    """Whether its subject is in the same part, or it begins with a past tense as chat does."""
    subject = _subject(verb)
    if subject is not None:
        return part.start <= subject.i < part.end
    return verb.tag_ == "VBD" and all(
        item.dep_ in _BEFORE_SUBJECT for item in part[: verb.i - part.start]
    )


def _is_command(part: Span) -> bool:
    verb = _main_verb(part)
    return verb is not None and verb.tag_ in ("VB", "VBP") and _subject(verb) is None


def _opens_clause(part: Span) -> bool:
    """Whether it begins with a subject and has its verb."""
    for token in part.doc[part.start : part.sent.end]:
        if token.tag_ not in FINITE:
            continue
        verb = token.head if token.dep_ in AUXILIARIES else token
        subject = _subject(verb)
        if subject is None or _is_below(verb) or subject.tag_ == "EX":
            return False  # "there were many people": only the clause before tells where
        if not part.start <= subject.i < min(verb.i, part.end):
            return False
        first = subject.left_edge.i
        lead = part.doc[part.start : max(first, part.start)]
        return first >= part.start and all(map(_may_lead, lead))
    return False


def _may_lead(item: Token) -> bool:
    """Whether a word may precede the subject of a clause: "finally", a bare "Monday"."""
    if item.tag_ == "WRB":  # "however much"
        return False
    if item.dep_ == "npadvmod" or item.head.dep_ == "npadvmod":
        return item.ent_type_ in ("DATE", "TIME")
    return item.dep_ in _BEFORE_SUBJECT


def _is_splice(main: Token, right: Span) -> bool:
    """Whether a part begins with "I", "we" or the like and depends on nothing before it."""
    first = right[0]
    if (
        first.lower_ not in _PERSONS
        or first.dep_ not in SUBJECTS
        or first.nbor(-1).text not in _PAUSES
    ):
        return False
    verb = first.head
    return verbal(verb) and verb != main and not _is_below(verb) and verb.i > first.i


def _opens_command(part: Span) -> bool:
    """Whether it begins with a base form that has no subject, here or before."""
    words = [token for token in part if token.dep_ not in ("advmod", "intj", "punct")]
    if not words:
        return False
    verb = words[0].head if words[0].lemma_ == "do" and words[0].dep_ == "aux" else words[0]
    if verb.tag_ not in ("VB", "VBP") or not verbal(verb) or _is_below(verb):
        return False
    if verb.lemma_.lower() in _NO_COMMANDS:
        return False
    if _subject(verb) is not None or any(item.tag_ in ("TO", "MD") for item in verb.children):
        return False
    if verb.dep_ != "conj":
        return verb.dep_ in ("ROOT", "dep", "parataxis", "ccomp", "advcl")
    above = verb.head
    shared = _subject(above)
    if shared is not None and shared.lower_ in _PERSONS:
        return False  # "we meet on Mondays, plan events": what we do, not a command
    if any(item.dep_ in AUXILIARIES and item.lemma_ != "do" for item in above.children):
        return above.tag_ not in ("VB", "VBP")
    plural = shared is not None and (
        shared.lower_ in ("i", "we", "you", "they") or shared.tag_ in ("NNS", "NNPS")
    )
    return not (plural and verb.tag_ == "VBP")


def _sharing(left: Span, right: Span) -> Sequence[Token]:
    """The subject and auxiliaries that a coordinated verb or complement shares with the one before."""
    main = _main_verb(left)
    words = [token for token in right if token.dep_ not in ("advmod", "intj", "punct", "neg")]
    subject = _subject(main) if main is not None else None
    if main is None or subject is None or not words or subject.i < left.start:
        return ()
    whole = list(subject.subtree)
    if subject.dep_ == "expl" or len(whole) > _SUBJECT_MAX or whole[-1].i > main.i:
        return ()
    if any(map(verbal, whole)) or any(item.dep_ == "relcl" for item in left):
        return ()  # "met Jo, who had lost it all, yet stayed": who stayed is a guess
    whole = [*_time_before(subject, main), *whole]
    helpers = [item for item in main.children if item.dep_ in AUXILIARIES and item.i < main.i]
    if main.lemma_ == "be" and _also_is(subject, words, right):
        return [*whole, *helpers, main]
    verb = words[0].head if words[0].dep_ in AUXILIARIES else words[0]
    if not _is_joined(verb, main):
        return ()
    had = any(item.lemma_ == "have" for item in helpers)
    perfect = had and main.tag_ == "VBN" and verb.tag_ == "VBD" and words[0] == verb
    if _is_inverted(right, words[0]) or _may_be_quality(words[0], main, left):
        return ()
    if words[0].tag_ == "VBP" and main.tag_ != "VBP":
        return ()  # "I'm gonna ask Jo, get help": all of it is to come
    if words[0].tag_ in FINITE and not perfect:
        return whole if _agrees(words[0], subject) else ()
    same = words[0] == verb and (perfect or verb.tag_ == main.tag_) and child(main, "neg") is None
    return [*whole, *helpers] if helpers and same else ()


def _is_inverted(right: Span, word: Token) -> bool:
    """ "And so does she", "nor is Tom": the subject is still to come."""
    near = {right[0].lower_, right[0].nbor(-1).lower_}
    return word.pos_ == "AUX" and not near.isdisjoint(_INVERTING)


def _may_be_quality(word: Token, main: Token, left: Span) -> bool:
    """Whether it may be joined to a quality before it: "felt loved and *needed* by all"."""
    last = left[-1] if left[-1].text not in _BREAKS and left[-1].dep_ != "cc" else left[-2]
    ends = word.tag_ in ("VBD", "VBN") and word.lower_.endswith("ed")
    return (
        ends
        and last.head == main
        and last.dep_ in ("acomp", "oprd")
        and last.tag_[:2] in ("JJ", "VB")
    )


def _is_joined(verb: Token, main: Token) -> bool:
    """Whether two verbs share a subject and each has a complement: not "came and went"."""
    if verb.dep_ != "conj" or not verbal(verb) or _subject(verb) is not None or _is_below(verb):
        return False
    top = verb.head
    while top != main and top.dep_ == "conj":
        top = top.head
    return top == main and _says_something(main) and _says_something(verb)


def _agrees(finite: Token, subject: Token) -> bool:
    """Whether a verb agrees with a subject; not in "they pay 11 an hour, starts in July"."""
    several = child(subject, "conj") is not None or subject.tag_ in ("NNS", "NNPS")
    third = subject.lower_ not in ("i", "we", "you", "they") and not several
    return finite.tag_ in ("VBD", "MD") or (finite.tag_ == "VBZ") == third


def _also_is(subject: Token, words: Sequence[Token], right: Span) -> bool:
    """ "I'm Ana, 31, living in Porto": "am" applies to all three."""
    if subject.lower_ not in _PERSONS or right[0].nbor(-1).text != ",":
        return False
    age = [token.text for token in right if not token.is_punct and token.lower_ not in _JOINS]
    if len(age) == 1 and age[0].isdigit() and 0 < int(age[0]) < _AGE_MAX:
        return True
    verb = words[0]
    doing = verb.tag_ == "VBG" and verb.dep_ in ("advcl", "acl", "conj") and _says_something(verb)
    return doing and child(verb, "mark", "aux") is None


def _time_before(subject: Token, main: Token) -> list[Token]:
    """The time before the subject, which dates both verbs: "last year I left Rome and moved to Oslo"."""
    first = subject.left_edge.i
    times = [item for item in main.lefts if item.i < first and item.dep_ in ("npadvmod", "prep")]
    words = [word for item in times for word in item.subtree]
    return words if any(word.ent_type_ in ("DATE", "TIME") for word in words) else []


def _says_something(verb: Token) -> bool:
    return any(item.dep_ in _CONTENT and item.i > verb.i for item in verb.children)


def heading_of(sentence: Span) -> list[Token]:
    """The words before a colon that say what follows: "Ticket 5521: ..."."""
    for token in sentence[1 : HEADING_MAX + 1]:
        if token.text == ":":
            words = list(sentence.doc[sentence.start : token.i + 1])
            named = any(item.pos_ in ("NOUN", "PROPN") for item in words)
            finite = any(item.tag_ in FINITE for item in words)
            return words if named and not finite else []
        if token.text in (",", ";", '"', "("):
            return []
    return []


def list_items(
    sentence: Span, start: int, clauses: Collection[int], breaks: Sequence[int]
) -> dict[int, bool]:
    """Where the items of a list under a heading begin, and whether each needs a copy of the heading.

    An item needs it if it is the first, or too short to be understood alone. Empty if it is not a list, or
    if most items are single words.
    """
    starts = [start]
    for place in breaks:
        begins = sentence.doc[place - 1].text in (",", ";") and _begins_item(sentence.doc[place])
        if place in clauses or begins:
            starts.append(place)
    ends = [*starts[1:], sentence.end]
    sizes = [_size(sentence.doc[one:end]) for one, end in zip(starts, ends, strict=True)]
    if len(starts) < _ITEMS_MIN or 2 * sum(size > 1 for size in sizes) < len(starts):
        return {}
    return {
        one: one == start or (size < _ALONE_MIN and one not in clauses)
        for one, size in zip(starts, sizes, strict=True)
    }


def _size(part: Span) -> int:
    return sum((token.is_alpha or token.like_num) and not token.is_stop for token in part)


def _begins_item(token: Token) -> bool:
    """Whether it is a thing or an action; "20 % cheaper" and "since May" continue the previous item."""
    return token.pos_ in ("NOUN", "PROPN", "VERB", "DET", "X") or (
        token.pos_ == "ADJ" and token.head.pos_ in ("NOUN", "PROPN") and token.head.i > token.i
    )


def without_opening(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without words that merely open a sentence, or ask to remember what follows."""
    found = _after(_REMINDER, _after(_OPENING, tokens))
    ending = _ENDING.search(text_of(found)) if found else None
    if ending is None or len(found) < _FEW:
        return found
    last = found[0].idx + ending.start()
    return [token for token in found if token.idx < last] if _is_whole(found) else found


def _is_whole(tokens: Sequence[Token]) -> bool:
    """Whether the tokens are adjacent, so that their character positions are reliable."""
    return tokens[-1].i - tokens[0].i + 1 == len(tokens)


def _after(opening: regex.Pattern[str], tokens: Sequence[Token]) -> list[Token]:
    if not tokens:
        return []
    found = opening.match(text_of(tokens))
    if found is None:
        return list(tokens)
    length, at = found.end(), 0
    rest: list[Token] = []
    for token, word in zip(tokens, spaced(tokens), strict=True):
        if at >= length:
            rest.append(token)
        at += len(word)
    left = sum(token.is_alpha or token.like_num for token in rest)
    if not left and sum(token.is_alpha for token in tokens) >= _WORDS_MIN:
        return []  # "just so you know" beside the clause that it opens; a "yeah" alone may answer
    return rest if left > 1 else list(tokens)
