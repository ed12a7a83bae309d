"""Prose to facts, by rules over a parse.

Read in this order: `voices`, `chat`, `spelling`, `language` and `repairs` make the text readable;
`clauses`, `arguments`, `verbs`, `nouns` and `syntax` take it apart; `scene`, `mention`, `coreference`,
`kinship` and `moments` say who, what and when; `frames` and what it calls make facts; `salience`
drops what is not worth keeping; `arrange`, `wording`, `asides` and `render` write the sentences.
`units`, `headings` and `openings` cut a sentence into what is told apart, `certain` says whether its
parse can be trusted, `plain` and `implied` tell it in its own words, `faithful` holds drafts against them, and `sentences` decides.
"""

from recollect.extract.prose.reader import Prose

__all__ = ["Prose"]
