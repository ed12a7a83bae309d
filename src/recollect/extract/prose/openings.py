"""Words that only open a clause, and say nothing that is worth telling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from recollect.extract.prose.syntax import spaced, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacy.tokens import Token

_OPENING = regex.compile(
    r"(?:(?:and|but|so|also|plus|oh|well|anyway|anyways|hey|ok|okay|yeah|yes|yep|yup|right|look|listen|btw|fyi"
    r"|fwiw|basically|honestly|sure(?=,)|ugh|guys|folks|heads up|good news|bad news|(?:quick|short|small|another) (?:update|intro|note|question|one|thing)"
    r"|by the way|for the record|just so you know|in case you were wondering|as i said|to be honest|tbh"
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


def opened(tokens: Sequence[Token]) -> list[Token]:
    """Without words that only open a sentence, or ask for what follows to be remembered."""
    found = _after(_REMINDER, _after(_OPENING, tokens))
    ending = _ENDING.search(text_of(found)) if found else None
    if ending is None or len(found) < _FEW:
        return found
    last = found[0].idx + ending.start()
    return [token for token in found if token.idx < last] if _is_whole(found) else found


_FEW = 5


def _is_whole(tokens: Sequence[Token]) -> bool:
    """Whether the tokens stand side by side in the text, so that places in it can be counted."""
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
    return rest if sum(token.is_alpha or token.like_num for token in rest) > 1 else list(tokens)
