"""Prose to facts, by rules over a parse.

Read in this order: `voices`, `chat`, `spelling`, `language` and `repairs` make the text readable;
`clauses`, `arguments`, `verbs`, `nouns` and `syntax` take it apart; `scene`, `mention`, `coreference`,
`kinship` and `moments` say who, what and when; `frames` and what it calls make facts; `salience`
drops what is not worth keeping; `arrange`, `wording`, `asides` and `render` write the sentences.
"""

from recollect.extract.prose.reader import Prose

__all__ = ["Prose"]
