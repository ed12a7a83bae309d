-- The keys of metadata that policies of a project name: every reading and every edit asks for them.
ALTER TABLE projects ADD COLUMN guarded TEXT NOT NULL DEFAULT '[]';
UPDATE projects SET guarded = (
    SELECT json_group_array(named.key) FROM (
        SELECT DISTINCT json_extract(a.value, '$[0]') AS key
        FROM policy_sets s, json_each(s.spec, '$.policies') p, json_each(p.value, '$.attributes') a
        WHERE s.project_id = projects.id ORDER BY 1) AS named);

-- An edit is one on a side of the walls that policies draw, and when more of them are drawn on all those
-- that the side becomes: side is that of its subject, under the keys that policies have named since.
-- Of older ones whose subject is gone nobody knows it.
ALTER TABLE edits ADD COLUMN side TEXT NOT NULL DEFAULT '';
ALTER TABLE edits ADD COLUMN walls TEXT NOT NULL DEFAULT '[]';
UPDATE edits SET side = there.side, walls = there.keys
FROM (SELECT n.uuid, n.graph_id, n.side, p.guarded AS keys
      FROM (SELECT uuid, graph_id, side FROM facts UNION ALL SELECT uuid, graph_id, side FROM entities) n
      JOIN graphs g ON g.id = n.graph_id JOIN projects p ON p.id = g.project_id) AS there
WHERE edits.everywhere = 0 AND there.uuid = edits.subject AND there.graph_id = edits.graph_id;
