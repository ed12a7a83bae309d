-- Forgetting: what ended a fact and on whose word, what callers wrote by hand, and receipts.

-- Everything that gives a fact an end, also an end that another one precedes: an episode that says
-- so itself, or a fact that holds instead. Deleting leaves the row without its reason, and the fact
-- ended for good; only forgetting takes rows away, and then those that are left decide.
CREATE TABLE closings (
    id INTEGER PRIMARY KEY,
    fact_id INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    by_fact_id INTEGER REFERENCES facts (id) ON DELETE SET NULL,
    episode_id INTEGER REFERENCES episodes (id) ON DELETE SET NULL,
    ended_at INTEGER,
    expired_at INTEGER
);
CREATE INDEX closings_by_fact ON closings (fact_id);
CREATE INDEX closings_by_reason ON closings (by_fact_id) WHERE by_fact_id IS NOT NULL;
CREATE INDEX closings_by_episode ON closings (episode_id) WHERE episode_id IS NOT NULL;

-- Of ends that are there already only the episodes are known that brought one. If an episode also
-- says what began at that end and shares an entity, that is what holds instead; else it said so
-- itself. An end that no episode brought stays.
INSERT INTO closings (fact_id, by_fact_id, episode_id, ended_at, expired_at)
SELECT f.id,
    (SELECT id FROM
        (SELECT g.id, g.predicate <> f.predicate AS of_another
         FROM supports q JOIN facts g ON g.id = q.fact_id
         WHERE q.episode_id = p.episode_id AND q.role <> 'closes' AND g.id <> f.id
           AND (g.source_id IN (f.source_id, f.target_id)
                OR g.target_id IN (f.source_id, f.target_id))
           AND f.invalid_at = max(coalesce(g.valid_at, f.invalid_at),
                                  coalesce(f.valid_at, g.valid_at, f.invalid_at)))
     ORDER BY of_another, id LIMIT 1),
    p.episode_id, f.invalid_at, f.expired_at
FROM supports p JOIN facts f ON f.id = p.fact_id
WHERE p.role = 'closes' AND f.invalid_at IS NOT NULL;
INSERT INTO closings (fact_id, ended_at, expired_at)
SELECT f.id, f.invalid_at, f.expired_at FROM facts f
WHERE (f.invalid_at IS NOT NULL OR f.expired_at IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM closings c WHERE c.fact_id = f.id);

-- The name and the summary that a caller gave an entity by hand, in JSON: no episode has them.
ALTER TABLE entities ADD COLUMN given TEXT;

-- What was erased, what was not and why. subject is the uuid of what was erased; no word of it is
-- kept. scrubbed: whether the files were wiped of it as well.
CREATE TABLE erasures (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    mode TEXT NOT NULL CHECK (mode IN ('delete', 'forget')),
    removed TEXT NOT NULL,
    kept TEXT NOT NULL,
    scrubbed INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX erasures_by_project ON erasures (project_id, id);
