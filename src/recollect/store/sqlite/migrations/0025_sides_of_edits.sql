-- An edit is one on a side of the walls that policies draw, and when more of them are drawn on all those
-- that the side becomes: side is that of its subject, under the keys that policies have named since.
-- Of older ones whose subject is gone nobody knows it.
ALTER TABLE edits ADD COLUMN side TEXT NOT NULL DEFAULT '';
ALTER TABLE edits ADD COLUMN walls TEXT NOT NULL DEFAULT '[]';
UPDATE edits SET side = there.side, walls = there.keys
FROM (SELECT n.uuid, n.graph_id, n.side, (
          SELECT json_group_array(DISTINCT json_extract(a.value, '$[0]'))
          FROM policy_sets s, json_each(s.spec, '$.policies') p, json_each(p.value, '$.attributes') a
          WHERE s.project_id = g.project_id) AS keys
      FROM (SELECT uuid, graph_id, side FROM facts UNION ALL SELECT uuid, graph_id, side FROM entities) n
      JOIN graphs g ON g.id = n.graph_id) AS there
WHERE edits.everywhere = 0 AND there.uuid = edits.subject AND there.graph_id = edits.graph_id;
