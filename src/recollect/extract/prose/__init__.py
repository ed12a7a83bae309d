"""Turns prose into facts, by rules over a dependency parse.

`reader` is the whole path; read the rest in this order:

- `voices`, `chat` and `syntax` cut the text by speaker, normalise its spelling and repair its parse;
- `clauses`, `verbs`, `nouns` and `relations` take a sentence apart (`words` has the word lists);
- `scene`, `mentions`, `products`, `moments`, `time_expressions` and `datewords` resolve who, what, when;
- `frames`, with `drafts`, `copula` and `constructions`, drafts facts, which `render` and `wording` put
  into sentences; `salience` drops what is not worth keeping;
- `units` cuts the sentence into independent clauses, `plain` restates each in its own words, `fidelity`
  compares drafts with those words, and `sentences` decides which is kept, in `findings`.
"""

from recollect.extract.prose.reader import Prose

__all__ = ["Prose"]
