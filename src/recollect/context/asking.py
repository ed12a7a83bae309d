"""What a thread's newest messages ask of the memory."""

from collections.abc import Sequence

from recollect.graph.terms import terms
from recollect.graph.types import Episode
from recollect.limits import BLOCK_QUERY_CHARS_MAX

# Words that are said to be polite or to go on; a message of nothing else looks nothing up.
SMALL_TALK = frozenset(
    terms(
        """
        afternoon ah aha alright also am back bye cheers cool day dear evening everybody everyone
        fine folks good goodbye goodnight got great greetings haha hello hey hi hiya hm hmm just
        later ll lol m morning nice night oh ok okay perfect please re really right s see sure
        thank thanks thx today well welcome yeah yep yes yo
        bonjour buenas buenos ciao danke días gracias guten hallo hola merci moin olá salut servus
        tag
        """
    )
)


def query_text(newest: Sequence[Episode], chars_max: int = BLOCK_QUERY_CHARS_MAX) -> str:
    """What to search for, given the newest messages of a thread in order; "" for small talk.

    The newest message comes first, as a model that reads only so far must not miss it, and gets
    the room it needs; what is left goes to the one before, and so on. A message that is too long
    keeps its beginning and its end: that is where people put what they want.
    """
    if not any(term not in SMALL_TALK for each in newest for term in terms(each.content)):
        return ""
    kept: list[str] = []
    left = chars_max
    for message in reversed(newest):
        text = _shortened(" ".join(message.content.split()), left)
        if text:
            kept.append(text)
            left -= len(text) + 1
    return "\n".join(kept)


def _shortened(text: str, room: int) -> str:
    """The first and the last words of *text*, as many as fit."""
    if len(text) <= room:
        return text
    half = (room - 1) // 2
    if half <= 0:
        return ""
    head, tail = text[:half], text[-half:]
    # A word is not cut, unless it alone fills the room.
    head = head[: head.rfind(" ")] if " " in head else head
    tail = tail[tail.find(" ") + 1 :] if " " in tail else tail
    return f"{head} {tail}"
