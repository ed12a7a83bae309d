"""JSON documents are walked, not read as prose.

- An object with an identity (id, name, e-mail address, title …) is an entity; its scalar fields
  are facts whose slot is the key path from that entity on.
- An object without an identity is part of the one around it; in a list, or with a date of its own,
  it gets a name made from its content.
- Objects and lists of an entity are joined to it by a relation named after the key.
- Dates in an object date its facts; without one they hold as of the episode's time.
- A null says nothing: services send it for "unknown" as well as for "none".
- Text and messages inside are read as prose.

What the keys mean is data: `json_keys.toml`.
"""

from collections.abc import Callable

from recollect.extract.brief import Brief
from recollect.extract.documents import messages
from recollect.extract.documents.json_tree import parse_json
from recollect.extract.documents.walk import Walk
from recollect.graph.found import Found


def read(reading: Brief, prose: Callable[[Brief], Found]) -> Found:
    """What a JSON episode says. *prose* reads the texts and messages inside it.

    The number of facts is limited; those that identify or join things are kept first.
    """
    walk = Walk(reading)
    walk.root(parse_json(reading.content))
    for text in walk.texts:
        part = messages.with_known_names(text.reading, walk.findings.entities())
        found = messages.with_document_spans(prose(part), text.value, reading.content)
        walk.findings.add(found, depth=text.depth)
        if not found.facts and text.otherwise is not None:
            walk.findings.fact(text.otherwise, depth=text.depth)
    return walk.findings.found()
