-- What goes when episodes go.

-- name: facts_supported_only_by
-- What a user's record tells needs no episode: that one restated it does not make it that one's.
SELECT f.id, f.graph_id, f.source_id, f.target_id FROM facts f
WHERE f.id IN (SELECT fact_id FROM supports
               WHERE episode_id IN (SELECT value FROM json_each(:episodes)))
  AND f.extractor IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM supports p WHERE p.fact_id = f.id
                  AND p.episode_id NOT IN (SELECT value FROM json_each(:episodes)));

-- name: facts_said_only_by
-- The same, where an episode that only says what holds instead does not count: it does not say the
-- fact. One that says when the fact itself ended does.
SELECT f.id, f.graph_id, f.source_id, f.target_id FROM facts f
WHERE f.id IN (SELECT fact_id FROM supports
               WHERE episode_id IN (SELECT value FROM json_each(:episodes)))
  AND f.extractor IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM supports p WHERE p.fact_id = f.id
                  AND p.episode_id NOT IN (SELECT value FROM json_each(:episodes))
                  AND (p.role <> 'closes'
                       OR EXISTS (SELECT 1 FROM closings c WHERE c.fact_id = f.id
                                  AND c.episode_id = p.episode_id AND c.by_fact_id IS NULL)));

-- name: entity_ids_mentioned_by
SELECT DISTINCT entity_id FROM mentions
WHERE episode_id IN (SELECT value FROM json_each(:episodes));

-- name: facts_reopened_without
-- Facts that lose something that ended them: an episode that said so itself, or a fact that held
-- instead. What an episode said through a fact that stays is not lost.
SELECT fact_id FROM closings
WHERE by_fact_id IS NULL AND episode_id IN (SELECT value FROM json_each(:episodes))
UNION
SELECT fact_id FROM closings WHERE by_fact_id IN (SELECT value FROM json_each(:facts));

-- name: closings_inherit
-- What replaced a fact that is forgotten replaces what that one had replaced: of A, then B, then C,
-- without B, C ended A. A denial is no replacement; what comes after it may be A once more.
WITH RECURSIVE chain (fact_id, by_fact_id, episode_id, ended_at, expired_at, judge, sure) AS (
    SELECT c.fact_id, k.by_fact_id, k.episode_id, k.ended_at, k.expired_at, k.judge, k.sure
    FROM json_each(:facts) j JOIN closings c ON c.by_fact_id = j.value
    JOIN facts g ON g.id = j.value JOIN closings k ON k.fact_id = g.id
    WHERE g.negated = 0 AND g.ends = 0 AND k.by_fact_id IS NOT NULL
      AND c.fact_id NOT IN (SELECT value FROM json_each(:facts))
    UNION
    SELECT h.fact_id, k.by_fact_id, k.episode_id, k.ended_at, k.expired_at, k.judge, k.sure
    FROM chain h JOIN facts g ON g.id = h.by_fact_id JOIN closings k ON k.fact_id = g.id
    WHERE g.negated = 0 AND g.ends = 0 AND k.by_fact_id IS NOT NULL
      AND h.by_fact_id IN (SELECT value FROM json_each(:facts))
)
INSERT INTO closings (fact_id, by_fact_id, episode_id, ended_at, expired_at, judge, sure)
SELECT h.fact_id, h.by_fact_id, h.episode_id, max(h.ended_at, coalesce(f.valid_at, h.ended_at)),
    h.expired_at, h.judge, h.sure
FROM chain h JOIN facts f ON f.id = h.fact_id
WHERE h.by_fact_id NOT IN (SELECT value FROM json_each(:facts)) AND h.by_fact_id <> h.fact_id
  AND NOT EXISTS (SELECT 1 FROM closings k
                  WHERE k.fact_id = h.fact_id AND k.by_fact_id = h.by_fact_id);

-- name: closings_forget
DELETE FROM closings WHERE id IN (
    SELECT id FROM closings
    WHERE by_fact_id IS NULL AND episode_id IN (SELECT value FROM json_each(:episodes))
    UNION
    SELECT id FROM closings WHERE by_fact_id IN (SELECT value FROM json_each(:facts)));

-- name: facts_end_again
-- The ends that are left decide; without any the fact is open.
UPDATE facts
SET invalid_at = (SELECT min(c.ended_at) FROM closings c WHERE c.fact_id = facts.id),
    expired_at = (SELECT min(c.expired_at) FROM closings c WHERE c.fact_id = facts.id)
WHERE id IN (SELECT value FROM json_each(:ids));

-- name: facts_around
-- The facts that touch entities, those of an entity from the oldest to the newest.
SELECT source_id AS entity_id, id, graph_id, fact, invalid_at FROM facts
WHERE source_id IN (SELECT value FROM json_each(:ids))
UNION
SELECT target_id, id, graph_id, fact, invalid_at FROM facts
WHERE target_id IN (SELECT value FROM json_each(:ids))
ORDER BY 1, 2;

-- name: facts_of_entities
SELECT id, graph_id, source_id, target_id FROM facts
WHERE source_id IN (SELECT value FROM json_each(:ids))
UNION
SELECT id, graph_id, source_id, target_id FROM facts
WHERE target_id IN (SELECT value FROM json_each(:ids));

-- name: fact_ends
SELECT id, graph_id, source_id, target_id FROM facts WHERE id IN (SELECT value FROM json_each(:ids));

-- name: texts_bearing
-- Which of pairs, an entity and some words, are borne out: an episode that mentions the entity has
-- the words, plainly or as JSON writes them, or is of a speaker who is called so.
SELECT p.key AS place FROM json_each(:pairs) p
WHERE EXISTS (
    SELECT 1 FROM mentions m JOIN episodes e ON e.id = m.episode_id
    WHERE m.entity_id = json_extract(p.value, '$[0]')
      AND (:among IS NULL OR m.episode_id IN (SELECT value FROM json_each(:among)))
      AND (instr(lower(e.content), lower(json_extract(p.value, '$[1]'))) > 0
           OR instr(lower(e.content), lower(trim(json_quote(json_extract(p.value, '$[1]')), '"'))) > 0
           OR instr(lower(coalesce(e.speaker, '')), lower(json_extract(p.value, '$[1]'))) > 0));

-- name: entities_set_summaries
UPDATE entities SET summary = json_extract(k.value, '$[1]')
FROM json_each(:pairs) k WHERE entities.id = json_extract(k.value, '$[0]');

-- name: entity_unname
UPDATE entities SET name = :name, names = :names, attributes = :attributes WHERE id = :id;

-- name: graph_contents
-- What a graph holds, before it goes.
SELECT (SELECT count(*) FROM episodes WHERE graph_id = :id) AS episodes,
    (SELECT count(*) FROM facts WHERE graph_id = :id) AS facts,
    (SELECT count(*) FROM entities WHERE graph_id = :id) AS entities,
    (SELECT count(*) FROM observations WHERE graph_id = :id) AS observations,
    (SELECT count(*) FROM summaries WHERE graph_id = :id AND thread_id IS NOT NULL)
        AS thread_summaries,
    (SELECT count(*) FROM summaries WHERE graph_id = :id AND document_id IS NOT NULL)
        AS document_summaries,
    (SELECT count(*) FROM user_summaries WHERE graph_id = :id) AS user_summaries,
    (SELECT count(*) FROM chapters WHERE graph_id = :id AND level = 0) AS chapters,
    (SELECT count(*) FROM index_rows WHERE graph_id = :id) AS index_rows,
    (SELECT count(*) FROM threads WHERE graph_id = :id) AS threads,
    (SELECT count(*) FROM guidance WHERE graph_id = :id) AS guidance,
    (SELECT count(*) FROM user_group_members m JOIN users u ON u.id = m.user_id
     WHERE u.graph_id = :id) AS group_memberships;

-- name: thread_names_of_graph
SELECT thread_id FROM threads WHERE graph_id = :id ORDER BY thread_id;

-- name: erasure_insert
INSERT INTO erasures (uuid, project_id, at, kind, subject, mode, removed, kept)
VALUES (:uuid, :project_id, :at, :kind, :subject, :mode, :removed, :kept);

-- name: erasure_scrubbed
-- What wiped the files of one erasure wiped them of those before it.
UPDATE erasures SET scrubbed = 1
WHERE id <= (SELECT e.id FROM erasures e WHERE e.uuid = :uuid) AND scrubbed = 0;

-- name: erasure_unscrubbed
SELECT uuid FROM erasures WHERE scrubbed = 0 ORDER BY id DESC LIMIT 1;

-- name: erasure_by_uuid
SELECT * FROM erasures WHERE uuid = :uuid AND project_id = :project_id;

-- name: erasures_page
SELECT * FROM erasures WHERE project_id = :project_id
  AND (:before IS NULL OR id < (SELECT b.id FROM erasures b
                                WHERE b.uuid = :before AND b.project_id = :project_id))
ORDER BY id DESC LIMIT :limit;

-- name: direct_episodes_behind
-- The episodes that carry what callers wrote as knowledge: of these facts and this entity.
SELECT e.id, e.graph_id FROM episodes e
WHERE e.kind IN ('fact_triple', 'nodes') AND e.id IN (
    SELECT p.episode_id FROM supports p WHERE p.fact_id IN (SELECT value FROM json_each(:facts))
    UNION SELECT m.episode_id FROM mentions m WHERE m.entity_id = :entity_id);

-- name: episodes_delete_useless
-- They are never shown: once they stand behind nothing, nobody could reach their words.
DELETE FROM episodes WHERE id IN (SELECT value FROM json_each(:ids))
  AND NOT EXISTS (SELECT 1 FROM supports p WHERE p.episode_id = episodes.id)
  AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.episode_id = episodes.id)
RETURNING id, graph_id;

-- name: triples_stating_nothing
-- Episodes that were written to say a fact, though no such fact is left.
SELECT id, graph_id, content FROM episodes
WHERE id IN (SELECT value FROM json_each(:ids)) AND kind = 'fact_triple'
  AND NOT EXISTS (SELECT 1 FROM supports p
                  WHERE p.episode_id = episodes.id AND p.role <> 'closes');

-- name: episode_becomes_nodes
UPDATE episodes SET kind = 'nodes', content = :content WHERE id = :id;

-- name: facts_delete
DELETE FROM facts WHERE id IN (SELECT value FROM json_each(:ids));

-- name: episodes_delete
DELETE FROM episodes WHERE id IN (SELECT value FROM json_each(:ids));

-- name: entities_delete_unsupported
-- The user's own node stays, and so does a node that a surviving fact touches.
DELETE FROM entities
WHERE id IN (SELECT value FROM json_each(:ids)) AND is_user = 0
  AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity_id = entities.id)
  AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.source_id = entities.id)
  AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.target_id = entities.id)
RETURNING id, graph_id;

-- name: episode_places
SELECT id, graph_id, seq FROM episodes WHERE id IN (SELECT value FROM json_each(:ids));
