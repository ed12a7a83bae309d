"""JSON documents are walked, not read as prose.

- An object with an identity (id, name, e-mail address, title …) is an entity; its scalar fields
  are facts whose slot is the key path from that entity on.
- An object without identity is a part of the one around it; in a list, or with a date of its own,
  it is named after its content.
- Objects and lists of an entity are joined to it by a relation named after the key.
- Dates in an object date its facts; what has none holds as of the episode's time.
- A null says nothing: services send it for "unknown" as well as for "none".
- Text and messages inside are read as prose.

What the keys mean is data: `json_keys.toml`.
"""

from collections.abc import Callable

from recollect.extract.brief import Brief
from recollect.extract.documents import talk
from recollect.extract.documents.scan import scan
from recollect.extract.documents.walk import Walk
from recollect.graph.found import Found


def read(reading: Brief, prose: Callable[[Brief], Found]) -> Found:
    """What a JSON episode says. *prose* reads the texts and messages inside it.

    The number of facts is bounded; those that identify and join things are kept first.
    """
    walk = Walk(reading)
    walk.root(scan(reading.content))
    for text in walk.texts:
        part = talk.knowing(text.reading, walk.gather.entities())
        found = talk.placed(prose(part), text.value, reading.content)
        walk.gather.add(found, depth=text.depth)
        if not found.facts and text.otherwise is not None:
            walk.gather.fact(text.otherwise, depth=text.depth)
    return walk.gather.found()
