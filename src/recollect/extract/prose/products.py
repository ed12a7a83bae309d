"""Products and the company behind an assistant: who owns "your app", and full names of products."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import regex

from recollect.extract.prose.findings import Findings
from recollect.extract.prose.mentions import Mention, party
from recollect.extract.prose.voices import Speech, Voice, voice
from recollect.extract.prose.words import listed

if TYPE_CHECKING:
    from datetime import datetime

    from spacy.tokens import Token

_WORD = r"\p{Lu}[\w&-]*(?:[.\u2019'](?!s\b)\w+)*"
_NAME = rf"(?P<name>{_WORD}(?:\s{_WORD}){{0,3}}?)(?:['\u2019]s)?"
_DESK = r"(?:\s(?i:customer|technical|tech|user))?\s(?i:support|care|help|service(?:\s?desk)?|helpdesk)\b"
_INTRODUCED = tuple(
    regex.compile(text)
    for text in (
        rf"\b(?i:welcome to|this is|you(?:['\u2019]ve| have) reached)\s{_NAME}{_DESK}",
        rf"\b(?i:thanks|thank you) (?i:for (?:contacting|calling|choosing|using|reaching out to))\s{_NAME}"
        r"(?=\s?[.,!?]|\s\p{Ll}|$)",
        rf"\b(?i:i['\u2019]m|i am|this is|my name is)\s\p{{Lu}}\w*,?\s(?i:from|with|at)\s{_NAME}(?=\s?[.,!?]|\s\p{{Ll}}|$)",
        rf"\b(?i:i['\u2019]m|i am)\s(?i:an?|the|your)\s{_NAME}(?:{_DESK})?\s(?i:assistant|agent|bot|chatbot)\b",
        rf"(?:^|[.!?]\s){_NAME}{_DESK}\s(?i:here|speaking)\b",
    )
)
_NO_NAMES = frozenset({"our", "the", "support", "customer", "technical", "ai", "virtual"})
# What a company sells under its own name, and what belongs to the assistant rather than the company.
_PRODUCTS = listed(
    "app application software product service platform program website site system company business"
)
_OWN = listed(
    "name answer reply response help suggestion advice question time patience opinion message email"
    " understanding attention job assistance apology recommendation memory"
)
_TOOLS = "tool|app|application|feature|software|program|plugin|extension|widget|button"


def company_of(speech: Speech, user: Voice | None) -> Mention | None:
    """The company or product that the assistant speaks for, as it introduced itself."""
    said = [turn.content for turn in speech.before if _is_assistant(voice(turn, user))]
    if _is_assistant(speech.speaker):
        said.append(speech.text)
    elif not _is_assistant(speech.listener):
        return None
    name = next(filter(None, map(_introduced, reversed(said))), None)
    return Mention(name, name, "organization", True) if name is not None else None


def introduce(speech: Speech, company: Mention | None, at: datetime, findings: Findings) -> None:
    """Add the fact that an assistant speaks for a company, if the assistant says so."""
    if company is None or speech.speaker is None or not _is_assistant(speech.speaker):
        return
    if _introduced(speech.text) != company.name:
        return
    agent = party(speech.speaker)
    span = (speech.start, speech.start + len(speech.text))
    text = f"{agent.text} speaks for {company.text}"
    findings.state(agent, company, "SPEAKS_FOR", text, at=at, span=span, confidence=0.8)


def belongs_to_company(pronoun: Token) -> bool:
    """Whether "your" and "our", said to or by an assistant, mean the company behind it."""
    return pronoun.dep_ == "poss" and pronoun.head.lemma_.lower() not in _OWN


def is_product(noun: Token) -> bool:
    """Whether it is a product without a name of its own: "your app"."""
    before = [item for item in noun.lefts if item.dep_ == "compound"]
    return noun.lemma_.lower() in _PRODUCTS and not before


def full_name(called: str, before: Iterable[str]) -> str:
    """The full name used earlier: "magic pen tool" for "the magic pen"."""
    if " " not in called:
        return called
    longer = regex.compile(rf"\bthe ({regex.escape(called)} (?:{_TOOLS}))\b", regex.IGNORECASE)
    found = next(filter(None, map(longer.search, before)), None)
    return str(found[1]) if found is not None else called


def _is_assistant(said_by: Voice | None) -> bool:
    return said_by is not None and said_by.who == "assistant"


def _introduced(text: str) -> str | None:
    for pattern in _INTRODUCED:
        found = pattern.search(text)
        if found is not None and found["name"].casefold().split()[0] not in _NO_NAMES:
            return str(found["name"])
    return None
