"""How much facts matter: said once for a user or a graph, given to each fact from then on."""

from msgspec.structs import asdict, replace

from recollect.errors import InvalidInput
from recollect.graph.types import Access, Json
from recollect.library import places
from recollect.library.places import Place
from recollect.store.protocol import Transaction
from recollect.subjects import graphs
from recollect.subjects.graphs import GraphDetails


def instruction(text: str, *, high: str, medium: str, low: str) -> Json:
    """What is kept of it; raises InvalidInput where something is not said."""
    examples = {"high": high, "medium": medium, "low": low}
    for name, given in {"instruction": text, **examples}.items():
        if not given.strip():
            raise InvalidInput(f"{name}: must not be empty")
    return {"instruction": text, "examples": examples}


def store(tx: Transaction, access: Access, place: Place, rating: Json) -> None:
    """Keep it for a user or a graph, who is made when missing."""
    if place.user is not None:
        places.make_user(tx, access, place.user, {"rating": rating})
    elif place.graph is not None:
        places.make(tx, access, place)
        old = asdict(graphs.get(tx, access, place.graph))
        kept = GraphDetails(**{name: old[name] for name in GraphDetails.__struct_fields__})
        graphs.update(tx, access, place.graph, replace(kept, rating=rating))
