-- Chapters: what a run of episodes says, as the facts that are worth keeping of it.

-- condenses: whether chapters are made of this graph's log. condensed: of how many runs of episodes,
-- from the first one on, they were made.
ALTER TABLE graphs ADD COLUMN condenses INTEGER NOT NULL DEFAULT 0;
ALTER TABLE graphs ADD COLUMN condensed INTEGER NOT NULL DEFAULT 0;

-- Level 0 holds 32 places of the log, every level above it 8 of the one below; numbers begin at 1.
-- No words are kept here: what a chapter says is put together from its facts, or else its messages.
CREATE TABLE chapters (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    level INTEGER NOT NULL,
    number INTEGER NOT NULL,
    UNIQUE (graph_id, level, number)
);

CREATE TABLE chapter_facts (
    chapter_id INTEGER NOT NULL REFERENCES chapters (id) ON DELETE CASCADE,
    fact_id INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    PRIMARY KEY (chapter_id, fact_id)
) WITHOUT ROWID;
CREATE INDEX chapter_facts_by_fact ON chapter_facts (fact_id);
