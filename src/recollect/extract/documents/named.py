"""Things as sentences speak of them."""

from recollect.extract.brief import Profile
from recollect.extract.documents import wording
from recollect.extract.documents.scan import Node, Scalar
from recollect.graph.found import EntityKind, FoundEntity
from recollect.graph.types import Record

_NAME_CHARS_MAX = 200


class Named(Record):
    """An entity and how sentences speak of it.

    *noun* is the word for what it is ("account"), empty if unknown. *spoken* are the keys that
    make it what it is and need no fact. *mine*: it belongs to the user by its id. *common*: the
    label begins with a common noun, and so with a capital at the start of a sentence.
    """

    entity: FoundEntity
    label: str
    noun: str = ""
    spoken: tuple[str, ...] = ()
    mine: bool = False
    anonymous: bool = False
    common: bool = False

    @property
    def kind(self) -> EntityKind | None:
        """The sort of thing."""
        return self.entity.kind

    @property
    def subject(self) -> str:
        """The label as the beginning of a sentence."""
        label = wording.determined(self.label) if self.common else self.label
        return wording.opened(label) if self.common else label


def text_of(node: Node | None) -> str | None:
    """The value of a leaf that can be part of a name."""
    if not isinstance(node, Scalar) or node.kind not in ("text", "number"):
        return None
    plain = wording.plain(node.text)
    return plain if 0 < len(plain) <= _NAME_CHARS_MAX else None


def is_user(value: str, user: Profile | None) -> bool:
    """Whether a name, an id or an e-mail address is the user's own."""
    if user is None:
        return False
    full = f"{user.first_name or ''} {user.last_name or ''}" if user.last_name else None
    own = (user.user_id, user.email, user.name, full)
    return value.casefold() in {plain.casefold() for plain in own if plain}


def the_user(user: Profile) -> Named:
    """The entity of the user whose graph this is."""
    return Named(entity=FoundEntity(name=user.name, kind="person", who="user"), label=user.name)
