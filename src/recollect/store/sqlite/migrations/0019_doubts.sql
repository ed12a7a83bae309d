-- Facts that may be over because of another one: the judge was not sure enough to end them. Such a
-- doubt goes with either fact, and when the one in doubt is said again.
CREATE TABLE doubts (
    fact_id INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    by_fact_id INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
    judge TEXT NOT NULL,
    sure REAL NOT NULL,
    PRIMARY KEY (fact_id, by_fact_id)
) WITHOUT ROWID;
CREATE INDEX doubts_by_reason ON doubts (by_fact_id);
CREATE INDEX doubts_by_episode ON doubts (episode_id);
