"""Decides what is worth remembering: no small talk, no questions, no generalities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import regex

from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.mentions import Mention
from recollect.extract.prose.syntax import FINITE, SUBJECTS, child, coordinated, text_of
from recollect.extract.prose.verbs import Aspect
from recollect.extract.prose.words import (
    EMPTY,
    EVALUATIVE,
    FEELINGS,
    FIRST,
    FIRST_PLURAL,
    NEUTRAL,
    POINTING,
    SECOND,
    STRONG_FEELINGS,
    listed,
)

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_PLEASANTRY = regex.compile(
    r"^(?:(?:oh|wow|aw+|well|yes|yeah|yep|no|ok(?:ay)?|sure|great|cool|perfect|absolutely|right|so|and|but),?\s+)*"
    r"(?:thank(?:s| you)|(?:hi|hello|hey)\b\W*(?:\w+\W*)?(?:\w+\W*)?$|good (?:morning|evening|night|luck|to|for|job|point)"
    r"|congrat|nice to|great to|(?:it(?:'s| is| was) )?(?:so )?(?:nice|good|great|lovely|pleasure) (?:to|seeing|talking|chatting|meeting|hearing|catching)"
    r"|how (?:are|is|'s|about)|what(?:'s| is) up|see (?:you|ya)|talk (?:to you|soon)|take care|bye|goodbye"
    r"|sounds? (?:like|good|great|awesome|amazing|cool|fun|fantastic|lovely|wonderful)|looks? (?:like|good|great|amazing|awesome)"
    r"|let me know|no (?:worries|problem)|you(?:'re| are) (?:welcome|right|so)|i (?:see|think so|guess so|hope so|don't know|know)(?:[.!,]|$)"
    r"|(?:do not|don't) worry|we(?:'ll| will| shall) see(?:[.!,]|$)|keep (?:it |up|in|me|us)|keep on|have (?:a|fun)|same here|me too|of course|no doubt|can't complain|can't argue"
    r"|i(?:'m| am) (?:here (?:to|for)|happy to help|sorry to hear|glad (?:to|you)|listening)|i (?:totally |completely |100% )?(?:agree|understand|hear you|get it|got you|feel you)"
    r"|(?:i )?(?:really |so |truly )?appreciate (?:it|that|you|your)|glad (?:to|you)|(?:i )?(?:just )?wanted to (?:tell|say|let|share|ask|thank|check|give you)|i bet\b|(?:i )?hope (?:you|it|that|so|all|everything|your|this|things|we)\b|wish(?:ing)? you)",
    regex.IGNORECASE,
)
_THANKS = regex.compile(r"(?:thank(?:s| you)|congrat\w*)\b", regex.IGNORECASE)
_GENERAL_VERBS = listed("see know mean agree understand guess bet hear say")
_NO_REQUEST = listed(
    "let take keep have look see tell know remember enjoy stay be hang wait hold check thank forget"
    " worry try do go come feel give make believe trust imagine guess note consider think mind listen"
    " talk speak chat share cherish cheer rest follow excuse"
)
_MINE = FIRST | FIRST_PLURAL
_QUESTION_WORDS = listed("who what when where why how which whose whom")
_HOPE = regex.compile(
    r"(?:i )?(?:just |really )?hope (?:you|it|that|so|all|everything|your|this|things)\b", regex.I
)
_OFFER = regex.compile(
    r"\b(?:i(?:'d| would)? (?:recommend|suggest|advise|propose|go with)|i(?:'d| would)\b"
    r"|(?:i|we)(?:'m| am|'re| are)? (?:happy|sorry|glad|here)|(?:i|we) (?:can|could)|you (?:can|could|may|might|should)"
    r"|let me|would you|if you|consider)\b",
    regex.IGNORECASE,
)
_CORRECTION = regex.compile(
    r"^(?:oh,? |oops,? |wait,? )*(?:no,? (?:wait|sorry|actually|i meant?|it's|it is)|sorry,|correction"
    r"|i meant?\b|scratch that|my mistake|actually,? (?:it's|it is|that's|i meant?)\b)",
    regex.IGNORECASE,
)
_HOPING = frozenset({"will", "'ll", "\u2019ll", "wo", "can", "going"})
_CHEERING = (EVALUATIVE & FEELINGS) | listed(
    "perfect best wonderful fantastic incredible beautiful lovely proud fun special worth soon anything"
    " everything fine nail rock crush regret succeed shine manage through"
)
_SOMETHING = frozenset({"something", "anything", "everything", "nothing", "stuff", "things"})
_NOTHING = listed("one ones it some more any all that this")
_ALONE = listed(
    "see know think agree wait go come say mean guess hear understand look listen try get be do have"
    " feel believe let hope care help happen sound seem laugh talk ask matter love like want need"
    " make take keep find chat speak catch tell"
)


def pleasantry(sentence: Span) -> int:
    """The length of the thanks, greetings or praise that a sentence begins with; 0 if none."""
    found = _PLEASANTRY.match(sentence.text.strip())
    return found.end() if found is not None else 0


def says_nothing(unit: Sequence[Token]) -> bool:
    """Whether it is only thanks, greetings or assent, a wish, or "I wonder whether"."""
    text = text_of(unit).rstrip(" .!")
    polite = _PLEASANTRY.match(text)
    if polite is not None and (polite.end() == len(text) or _only_thanks(unit, text)):
        return True
    if _HOPE.match(text) is not None:
        return not any(token.lower_ in _MINE or token.pos_ == "PROPN" for token in unit[2:])
    return any(
        token.lemma_.lower() == "wonder" and child(token, "ccomp") is not None for token in unit
    )


def _only_thanks(unit: Sequence[Token], text: str) -> bool:
    """Whether all of it is what someone is thanked for or congratulated on."""
    return _THANKS.match(text) is not None and not any(token.tag_ in FINITE for token in unit)


def states_nothing(unit: Sequence[Token], asked: bool) -> bool:
    """Whether it is a question that states nothing, or a command to do something for the speaker.

    Both can only be standing instructions.
    """
    verb = next((token for token in unit if token.tag_[0] in "VM"), None)
    if verb is None:
        return False
    subjects = [token for token in unit if token.dep_ in SUBJECTS]
    if asked:
        inverted = not subjects or verb.i < subjects[0].i or unit[0].lower_ in _QUESTION_WORDS
        return inverted and not any(token.lower_ in ("i", "we") for token in subjects)
    serves = child(verb, "dobj", "dative")
    return verb.tag_ == "VB" and not subjects and serves is not None and serves.lower_ in _MINE


def encourages(unit: Sequence[Token]) -> bool:
    """Whether it tells the listener that all will be well: "you'll find the perfect place", "you've got this".

    It names nothing particular, so it can be about nothing but the listener's luck.
    """
    you = next((token for token in unit if token.dep_ in SUBJECTS), None)
    if you is None or you.lower_ != "you" or any(token.lower_ in _MINE for token in unit):
        return False
    if any(token.pos_ in ("PROPN", "NUM") and token.ent_type_ != "DATE" for token in unit):
        return False
    verb = you.head
    if verb.lemma_ == "get" and any(token.lower_ == "this" for token in verb.children):
        return True
    hopes = any(item.lower_ in _HOPING for item in verb.children if item.dep_ == "aux")
    return hopes and any(token.lower_ in _CHEERING for token in unit)


def is_offer(unit: Sequence[Token]) -> bool:
    """Whether an assistant recommends or offers something, or is merely polite."""
    return _OFFER.search(text_of(unit)) is not None


def beside_pleasantry(clause: Clause, sentence: Span, length: int) -> bool:
    """Whether the speaker states it after the thanks: "Thanks, I moved to Boston"."""
    token = clause.subjects[0] if clause.subjects else None
    if token is None or token.lower_ not in ("i", "we") or clause.how not in ("main", "opinion"):
        return False
    return token.idx - sentence.start_char >= length


def is_correction(sentence: Span) -> bool:
    """Whether the speaker corrects something: "sorry, I meant Denver"."""
    return _CORRECTION.match(sentence.text.strip()) is not None


def is_question(sentence: Span) -> bool:
    """Whether it is a question, with or without a question mark."""
    text = sentence.text.rstrip(" \"')")
    if text.endswith("?") or "?!" in text[-3:]:
        return True
    first = next((token for token in sentence if not token.is_punct and token.dep_ != "intj"), None)
    if first is None:
        return False
    root = sentence.root
    if first.lower_ in _QUESTION_WORDS and first.dep_ != "mark" and _inverted(root):
        return True
    return first.dep_ in ("aux", "auxpass") and first.head == root and _inverted(root)


def _inverted(root: Token) -> bool:
    subject = child(root, *SUBJECTS)
    helper = child(root, "aux", "auxpass")
    if subject is None:
        return False
    return (helper is not None and helper.i < subject.i) or root.i < subject.i


def asks_politely(sentence: Span) -> Token | None:
    """The verb of a request phrased as a question: "can you play X"."""
    root = sentence.root
    subject, helper = child(root, "nsubj"), child(root, "aux")
    if subject is None or helper is None or subject.lower_ != "you":
        return None
    polite = helper.lower_ in ("can", "could", "will", "would") and helper.i < subject.i
    return root if polite and root.tag_ == "VB" else None


def is_request(verb: Token) -> bool:
    """Whether a command asks for something to be done."""
    return verb.lemma_.lower() not in _NO_REQUEST or child(verb, "prep") is not None


def is_worth_keeping(
    clause: Clause, aspect: Aspect, subject: Mention, spoken: bool, dated: bool = False
) -> bool:
    """Whether a clause with this subject is worth keeping."""
    verb = clause.verb
    lemma = verb.lemma_.lower()
    if any(item.lower_ in ("here", "there") and item.i < verb.i for item in verb.children):
        return False
    token = clause.subjects[0] if clause.subjects else None
    word = token.lower_ if token is not None else "i"
    if word in SECOND and not _factual(verb, aspect):
        return False
    if word in FIRST_PLURAL and (aspect.able or _of_everyone(token, verb)):
        return False
    if (lemma in _GENERAL_VERBS and child(verb, "dobj", "prep") is None) or lemma == "mean":
        return lemma == "mean" and child(verb, "dobj") is not None and word not in FIRST
    if not spoken:
        return True
    if subject.anchored or dated or _speaks_of_someone(clause):
        return True
    return not _is_general(token, aspect)


def _of_everyone(we: Token | None, verb: Token) -> bool:
    """ "we all", "we both", "we are strong": about people in general, or speaker and listener."""
    beside = we is not None and any(item.lower_ in ("all", "both") for item in we.children)
    quantified = any(item.lower_ in ("all", "both") for item in verb.children)
    everyone = (beside or quantified) and (verb.tag_ != "VBD" or child(verb, "dobj") is None)
    return everyone or (verb.lemma_ == "be" and verb.tag_ == "VBP")


def _factual(verb: Token, aspect: Aspect) -> bool:
    """Whether a statement about the listener names something particular, and is not praise."""
    if aspect.able or aspect.hypothetical or aspect.lead:
        return False
    return any(
        item.pos_ == "PROPN" and item.dep_ in ("pobj", "dobj", "attr") for item in verb.subtree
    )


def _speaks_of_someone(clause: Clause) -> bool:
    for item in clause.base.subtree:
        if item.pos_ == "PROPN" and item.ent_type_ not in ("DATE", "TIME"):
            return True
        if item.lower_ in FIRST:
            return True
    return False


def _is_general(token: Token | None, aspect: Aspect) -> bool:
    """Whether it is a generality: a bare plural or a gerund in the present."""
    if token is None or token.lower_ in NEUTRAL:  # a resolved "it" is definite
        return False
    definite = any(
        item.dep_ == "poss" or (item.dep_ == "det" and item.lower_ not in POINTING)
        for item in token.children
    )
    return not (definite and (aspect.tense == "past" or aspect.perfect))


def empty_quality(complement: Token) -> bool:
    """Whether it is a mood or a judgement."""
    word = complement.lower_
    return word in FEELINGS or word in EVALUATIVE or complement.tag_ == "RB"


def is_judgement(subject: Mention, complement: Token, pronoun: bool, past: bool) -> bool:
    """Whether it merely judges a thing: "the event was awesome", "it was fun"."""
    definite = past and not pronoun and subject.kind != "topic"
    definite |= past and subject.kind == "event"
    return (
        (pronoun or not subject.anchored)
        and not definite
        and (
            complement.lower_ in EVALUATIVE
            or complement.lower_ in FEELINGS
            or complement.tag_ == "VBG"
            or complement.lower_.endswith("ing")
        )
    )


def empty_noun(noun: Token) -> bool:
    """ "a great time", "fun": a noun that names nothing."""
    return noun.lemma_.lower() in EMPTY or noun.lower_ in EMPTY


def stands_alone(clause: Clause, aspect: Aspect, source: Mention, dated: bool) -> bool:
    """Whether a clause without a second entity is worth a fact."""
    verb = clause.verb
    complement = child(verb, "acomp", "attr", "oprd")
    if complement is not None:
        return _says_quality(clause, aspect, source, complement)
    if not source.anchored and not _speaks_of_someone(clause):
        return False
    if _speaks_of_nothing(verb):
        return False
    if verb.lemma_.lower() in _ALONE:
        inner = child(verb, "ccomp", "dobj", "xcomp", "prep", "advcl")
        told = inner is not None and (dated or _content(inner))
        return told and (dated or source.anchored or _speaks_of_someone(clause))
    if clause.how == "implied" and child(verb, "prep", "dobj", "xcomp", "ccomp") is None:
        return False
    return dated or bool(list(verb.children)) or not source.party


def _says_quality(clause: Clause, aspect: Aspect, source: Mention, complement: Token) -> bool:
    """Whether "is …" says more than a mood or praise."""
    token = clause.subjects[0] if clause.subjects else None
    pronoun = token is not None and token.lower_ in NEUTRAL | POINTING
    past = aspect.tense == "past"
    if source.kind == "topic" and not source.anchored and not _speaks_of_someone(clause):
        return False
    if complement.lower_ in STRONG_FEELINGS and source.anchored:
        return True
    if is_judgement(source, complement, pronoun, past):
        return False
    if complement.lower_ in FEELINGS and child(complement, "ccomp") is not None:
        return False
    about = next(
        filter(None, (child(item, "prep", "xcomp", "ccomp") for item in coordinated(complement))),
        None,
    ) or child(clause.verb, "prep", "advcl")
    if pronoun and about is None and not (past and source.kind == "event"):
        return False  # "it is tricky": what "it" means would be a guess
    told = not source.party and past
    return told or not empty_quality(complement) or (about is not None and _content(about))


def _speaks_of_nothing(verb: Token) -> bool:
    """ "I love it", "I remember you saying", "I made something": no content."""
    inner, thing = child(verb, "ccomp"), child(verb, "dobj")
    whose = child(inner, "nsubj") if inner is not None else None
    if whose is not None and whose.lower_ in SECOND:
        return True
    if thing is not None and thing.lower_ in _NOTHING:
        return True
    return any(
        item.lower_ in _SOMETHING
        for item in verb.subtree
        if item.head == verb or item.dep_ in ("pobj", "dobj")
    )


def _content(part: Token) -> bool:
    """Whether the part has a noun or a verb with content."""
    words = [item for item in part.subtree if item.pos_ in ("NOUN", "PROPN", "VERB")]
    if part.tag_ == "VBG" or (part.dep_ == "ccomp" and part.pos_ == "ADJ"):
        return True
    return any(item.lemma_.lower() not in EMPTY for item in words) and len(list(part.subtree)) > 2
