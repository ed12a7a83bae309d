"""Reading prose without a model server: sentences, clauses, facts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import msgspec
import regex

from recollect import limits
from recollect.extract.brief import Brief, Turn
from recollect.extract.prose import salience
from recollect.extract.prose.appositions import apposed
from recollect.extract.prose.book import Book
from recollect.extract.prose.chat import Normal, normalise
from recollect.extract.prose.clauses import Clause, clauses
from recollect.extract.prose.corrections import Again, correct
from recollect.extract.prose.datelines import written_on
from recollect.extract.prose.frames import Framer
from recollect.extract.prose.headings import heading_of
from recollect.extract.prose.inflect import possessive
from recollect.extract.prose.kinship import is_role
from recollect.extract.prose.language import is_english
from recollect.extract.prose.listed import listed
from recollect.extract.prose.moments import Moments
from recollect.extract.prose.nouns import NAMED
from recollect.extract.prose.products import introduce
from recollect.extract.prose.relations import screaming
from recollect.extract.prose.repairs import IsVerb, repair
from recollect.extract.prose.requests import request
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.sentences import Sentences
from recollect.extract.prose.tenses import tenses
from recollect.extract.prose.voices import Speech, speeches
from recollect.graph.found import Found, FoundFact
from recollect.graph.predicates import Predicates
from recollect.models.sentence_kinds import Kind, Said

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

Classify = Callable[[Sequence[Said]], Sequence[Kind]]
_PARSES_KEPT = 64
_DOUBTING = listed("think guess believe maybe perhaps might if unless wonder wish suppose")
_BULLET = regex.compile(r"\s*(?:[-*\u2022]|\d{1,2}[.)])\s*")


class Prose:
    """The embedded extractor for messages and texts. Not to be shared between threads."""

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
        """What each episode says, read as if alone; only the parser sees them together."""
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
        return [book.found() for book, _ in read]

    def _keep(self, doc: Doc, text: str) -> Doc:
        """Remember a parse for a while: the next turn of the thread may ask for it."""
        repair(doc, self._verbs.__contains__)
        self._seen[text] = doc
        self._seen.move_to_end(text)
        if len(self._seen) > _PARSES_KEPT:
            self._seen.popitem(last=False)
        return doc

    def _look(self, reading: Brief, speech: Speech) -> Doc:
        """The parse of a turn before the one that is read."""
        plain = self._normal(reading, speech).text
        return self._seen.get(plain) or self._keep(self._nlp(plain), plain)

    def _again(self, reading: Brief, turn: Turn) -> Found:
        """What an earlier turn said, for a correction of it."""
        return self.read(
            msgspec.structs.replace(
                reading, content=turn.content, role=turn.role, speaker=turn.speaker, before=()
            )
        )

    def _normal(self, reading: Brief, speech: Speech) -> Normal:
        voices = (speech.speaker, speech.listener)
        names = [voice.name for voice in voices if voice is not None]
        names += [item.name for item in reading.known]
        called = speech.listener.name if speech.listener is not None else ""
        return self._plain(speech.text, tuple(names), speech.start, called)

    def _read(
        self,
        reading: Brief,
        parts: Iterable[Speech],
        texts: Iterable[Normal],
        docs: Iterable[Doc],
    ) -> tuple[Book, list[Sentences]]:
        """What the rules make of an episode; its sentences wait to be settled."""
        book, sentences = Book(), []
        for speech, normal, doc in zip(parts, texts, docs, strict=True):
            scene = Scene(reading, speech, partial(self._look, reading))
            again = partial(self._again, reading)
            reader = _Reader(scene, normal, self._table, book, again, self._verbs.__contains__)
            introduce(speech, scene.house, reading.at, book)
            reader.read(doc)
            sentences.append(reader.sentences)
        return book, sentences


class _Reader:
    """Reads the sentences of one speech."""

    def __init__(
        self,
        scene: Scene,
        normal: Normal,
        table: Predicates,
        book: Book,
        again: Again,
        is_verb: IsVerb,
    ) -> None:
        self._again = again
        self._scene = scene
        self._framer = Framer(self._scene, table, book)
        self._normal = normal
        self._book = book
        self.sentences = Sentences(scene, book, table, is_verb)
        self._reading = scene.reading
        self._heading: Sequence[Token] = ()
        self._told = written_on(scene.reading.content, scene.reading.at, scene.reading.time_zone)

    def read(self, doc: Doc) -> None:
        named = _by_sentence(doc)
        for sentence in doc.sents:
            if is_english(sentence.text):
                self._sentence(sentence)
                self._names(sentence, named.get(sentence.start, ()))
            self._scene.next_sentence()

    def _sentence(self, sentence: Span) -> None:
        self._framer.span = self._normal.span(sentence.start_char, sentence.end_char)
        began = len(self._book)
        found = clauses(sentence) if len(sentence) <= limits.SENTENCE_TOKENS_MAX else []
        parts = self.sentences.cut(sentence, self._heading_of(sentence))
        moments = self._drafted(sentence, found)
        drafts = self._book.take(began)
        self.sentences.add(parts, drafts, moments, self._framer.span)
        if not salience.is_question(sentence):
            self._relatives(sentence)
            apposed(sentence, self._scene, moments, self._book, self._framer.span)

    def _heading_of(self, sentence: Span) -> Sequence[Token]:
        """What a sentence is said under: words of its own before a colon, or those above its list."""
        above, first = self._heading, sentence[0]
        self._heading = heading_of(sentence)
        if self._heading:
            return self._heading
        line = self._reading.content[: self._framer.span[0]].rpartition("\n")[2]
        if above and (above[-1].i + 2 >= first.i or _BULLET.fullmatch(line) is not None):
            self._heading = above
        return self._heading

    def _drafted(self, sentence: Span, found: list[Clause]) -> Moments:
        """Draft what the clauses of a sentence say; the times in it."""
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
                clause, self._scene, self._book, self._again, self._framer.span
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
        """Whoever and whatever is named is an entity, also where nothing is said about it."""
        for name in names:
            head = name.root
            if name.label_ not in NAMED or head.pos_ != "PROPN" or head.i == sentence.start:
                continue
            mention = self._scene.mention(head)
            if mention is not None and mention.proper and not mention.party:
                self._book.entity(mention)

    def _moments(self, sentence: Span, found: Sequence[Clause]) -> Moments:
        """The times in a sentence, each read in the tense of its clause; none in an endless one."""
        told = tenses(sentence, found) if len(sentence) <= limits.DATED_TOKENS_MAX else {}
        return Moments(sentence, self._told, self._reading.time_zone, told)

    def _relatives(self, sentence: Span) -> None:
        """Whoever was called "my sister" in this sentence is somebody's sister."""
        for token in sentence:
            if token.pos_ == "NOUN" and is_role(token):
                self._scene.mention(token)
        relatives, self._scene.relatives = self._scene.relatives, []
        if any(token.lower_ in _DOUBTING for token in sentence):
            return
        for kin in relatives:
            if kin.mention is None or kin.owner is None:
                continue
            name = screaming(["has", kin.role.split()[-1]])
            owner, called = kin.owner.text, kin.mention.text
            if not kin.mention.proper:
                continue
            text = f"{called} is {possessive(owner)} {kin.words}"
            self._book.fact(
                FoundFact(
                    source=self._book.entity(kin.owner),
                    target=self._book.entity(kin.mention),
                    name=name,
                    predicate=name,
                    fact=text[0].upper() + text[1:],
                    valid_at=self._reading.at,
                    span=self._framer.span,
                    confidence=0.85,
                )
            )


def _by_sentence(doc: Doc) -> dict[int, list[Span]]:
    """The names in a text by the first token of their sentence: to ask each sentence for its own
    would take it through the whole text each time."""
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
) -> Normal:
    return normalise(text, words.__contains__, names, start, listener)


def _said_aside(clause: Clause) -> bool:
    """What a question states on the way: "I have a dog, do you?"."""
    return clause.how == "main" and clause.base.dep_ == "ccomp" and bool(clause.subjects)


def _dictionary(nlp: Language, sort: str | None = None) -> frozenset[str]:
    """The words that the lemmatiser knows, in their base form; all, or of one sort."""
    if not nlp.has_pipe("lemmatizer"):
        return frozenset()
    lookups = nlp.get_pipe("lemmatizer").lookups  # type: ignore[attr-defined]
    table = lookups.get_table("lemma_index", {})
    if sort is not None:
        return frozenset(table.get(sort, ()))
    irregular = lookups.get_table("lemma_exc", {})
    groups = (*table.values(), *irregular.values(), nlp.Defaults.stop_words)
    return frozenset(word for words in groups for word in words)
