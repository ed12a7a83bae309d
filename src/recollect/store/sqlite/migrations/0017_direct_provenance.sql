-- Facts that callers wrote down name the episode that they are.

DROP VIEW fact_told;
-- A fact as it is told: with both of its ends and the episodes behind it. What a caller wrote as
-- a fact names its episode, too, though no list shows that one.
CREATE VIEW fact_told AS
SELECT f.*, s.uuid AS source_uuid, s.name AS source_name, s.labels AS source_labels,
    d.uuid AS target_uuid, d.name AS target_name, d.labels AS target_labels,
    (SELECT json_group_array(uuid) FROM
        (SELECT e.uuid FROM supports p JOIN episodes e ON e.id = p.episode_id
         WHERE p.fact_id = f.id AND e.kind <> 'nodes'
         ORDER BY e.seq)) AS episodes
FROM facts f JOIN entities s ON s.id = f.source_id JOIN entities d ON d.id = f.target_id;
