"""What an asker who does not see everything is told of the attributes of a user's own node.

The node stands on all sides of the walls that policies draw. What the user's record and people wrote
into it is told to whoever sees it; what episodes taught it, only on the sides that the asker sees.
"""

from recollect.graph import visibility as rules
from recollect.graph.types import Entity, Json
from recollect.graph.visibility import Visibility
from recollect.store import rows
from recollect.store.protocol import Transaction


def attributes(tx: Transaction, visibility: Visibility, node: Entity) -> Json | None:
    """The attributes that may be told. While the walls are being moved nobody knows who gave which:
    then there are none."""
    graph = tx.graphs.fold_state(graph_id=node.graph_id)
    if graph is None or graph.fold_from is not None:
        return None
    taught = [
        (row.side, rows.from_json(row.attributes) or {})
        for row in tx.entities.user_sides_of(entity_id=node.id)
    ]
    anywhere = {key for _, given in taught for key in given}
    told = {key: value for key, value in (node.attributes or {}).items() if key not in anywhere}
    for side, given in taught:
        if visibility.sees(rules.said_on(side)):
            told |= given
    return told or None
