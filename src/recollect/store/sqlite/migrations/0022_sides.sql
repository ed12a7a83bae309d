-- Walls inside a graph: what episodes say under the keys of metadata that policies name sets them apart.
-- The side of a reading is what its episode says there, empty for nothing, NULL where no policy names
-- any key; what is learned from it is on that side, and meets only what is on the same one.
ALTER TABLE readings ADD COLUMN side TEXT;
ALTER TABLE entities ADD COLUMN side TEXT NOT NULL DEFAULT '';
ALTER TABLE facts ADD COLUMN side TEXT NOT NULL DEFAULT '';

-- A user's own node is one for all sides; this is what each of them taught it.
CREATE TABLE user_sides (
    entity_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    side TEXT NOT NULL,
    names TEXT NOT NULL,
    attributes TEXT,
    PRIMARY KEY (entity_id, side)
) WITHOUT ROWID;

-- Whether a change by hand was made before there were walls: then it is one on every side.
ALTER TABLE edits ADD COLUMN everywhere INTEGER NOT NULL DEFAULT 0;
UPDATE edits SET everywhere = 1;

-- Graphs in which there are walls by now are folded again.
UPDATE readings SET side = (
    SELECT side(e.metadata, (
        SELECT json_group_array(DISTINCT json_extract(a.value, '$[0]'))
        FROM policy_sets s, json_each(s.spec, '$.policies') p, json_each(p.value, '$.attributes') a
        WHERE s.project_id = g.project_id))
    FROM graphs g LEFT JOIN episodes e ON e.id = readings.episode_id
    WHERE g.id = readings.graph_id)
WHERE graph_id IN (SELECT g.id FROM graphs g JOIN policy_sets s ON s.project_id = g.project_id);
UPDATE graphs SET fold_from = 0, inputs = inputs + 1
WHERE id IN (SELECT graph_id FROM readings WHERE side IS NOT NULL);
