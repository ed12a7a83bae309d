-- What a sound store never has.

-- name: facts
-- What a user's record tells needs no episode.
SELECT count(*) AS n, min(f.uuid) AS one FROM facts f
WHERE f.extractor IS NOT NULL AND NOT EXISTS (SELECT 1 FROM supports p WHERE p.fact_id = f.id);

-- name: entities
SELECT count(*) AS n, min(e.uuid) AS one FROM entities e
WHERE e.is_user = 0 AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity_id = e.id)
  AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.source_id = e.id)
  AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.target_id = e.id);

-- name: supports
SELECT count(*) AS n, min(p.fact_id) AS one FROM supports p
LEFT JOIN facts f ON f.id = p.fact_id LEFT JOIN episodes e ON e.id = p.episode_id
WHERE f.id IS NULL OR e.id IS NULL OR e.graph_id <> f.graph_id;

-- name: mentions
SELECT count(*) AS n, min(m.entity_id) AS one FROM mentions m
LEFT JOIN entities n ON n.id = m.entity_id LEFT JOIN episodes e ON e.id = m.episode_id
WHERE n.id IS NULL OR e.id IS NULL OR e.graph_id <> n.graph_id;

-- name: closings
SELECT count(*) AS n, min(c.id) AS one FROM closings c
LEFT JOIN facts f ON f.id = c.fact_id LEFT JOIN facts b ON b.id = c.by_fact_id
LEFT JOIN episodes e ON e.id = c.episode_id
WHERE f.id IS NULL OR (c.by_fact_id IS NOT NULL AND b.graph_id IS NOT f.graph_id)
   OR (c.episode_id IS NOT NULL AND e.graph_id IS NOT f.graph_id);

-- name: names
SELECT count(*) AS n, min(k.key) AS one FROM entity_names k
LEFT JOIN entities n ON n.id = k.entity_id WHERE n.graph_id IS NOT k.graph_id;

-- name: index_rows
-- Words or a vector of something that is not there.
SELECT count(*) AS n, min(i.item_kind || ' ' || i.item_id) AS one FROM index_rows i
WHERE (i.terms IS NOT NULL OR i.vector IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM episodes x WHERE i.item_kind = 'episode' AND x.id = i.item_id
                  AND x.graph_id = i.graph_id)
  AND NOT EXISTS (SELECT 1 FROM facts x WHERE i.item_kind = 'fact' AND x.id = i.item_id
                  AND x.graph_id = i.graph_id)
  AND NOT EXISTS (SELECT 1 FROM entities x WHERE i.item_kind = 'entity' AND x.id = i.item_id
                  AND x.graph_id = i.graph_id)
  AND NOT EXISTS (SELECT 1 FROM observations x WHERE i.item_kind = 'observation'
                  AND x.id = i.item_id AND x.graph_id = i.graph_id)
  AND NOT EXISTS (SELECT 1 FROM summaries x WHERE i.item_kind = 'thread_summary'
                  AND x.id = i.item_id AND x.graph_id = i.graph_id);

-- name: unindexed
-- Something to be found without words to find it by.
SELECT count(*) AS n, min(x.item) AS one FROM (
    SELECT graph_id, 'fact' AS kind, id, 'fact ' || uuid AS item FROM facts
    UNION ALL SELECT graph_id, 'entity', id, 'entity ' || uuid FROM entities
    UNION ALL SELECT graph_id, 'observation', id, 'observation ' || uuid FROM observations
    UNION ALL SELECT graph_id, 'thread_summary', id, 'thread summary ' || uuid FROM summaries
              WHERE thread_id IS NOT NULL
    UNION ALL SELECT graph_id, 'episode', id, 'episode ' || uuid FROM episodes
              WHERE processed_at IS NOT NULL AND ignored = 0) x
WHERE NOT EXISTS (SELECT 1 FROM index_rows i WHERE i.graph_id = x.graph_id
                  AND i.item_kind = x.kind AND i.item_id = x.id AND i.terms IS NOT NULL);

-- name: snapshots
SELECT count(*) AS n, min(s.graph_id) AS one FROM index_snapshots s
LEFT JOIN graphs g ON g.id = s.graph_id WHERE g.id IS NULL OR s.version > g.index_version;

-- name: observations
SELECT count(*) AS n, min(o.uuid) AS one FROM observations o
LEFT JOIN entities n ON n.id = o.entity_id
WHERE n.graph_id IS NOT o.graph_id
   OR NOT EXISTS (SELECT 1 FROM observation_facts k JOIN facts f ON f.id = k.fact_id
                  WHERE k.observation_id = o.id AND f.graph_id = o.graph_id);

-- name: summaries
-- Of a thread or a document of which nothing was read.
SELECT count(*) AS n, min(s.uuid) AS one FROM summaries s
WHERE NOT EXISTS (SELECT 1 FROM episodes e WHERE e.thread_id = s.thread_id
                  AND e.processed_at IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM episodes e WHERE e.graph_id = s.graph_id
                  AND e.document_id = s.document_id AND e.processed_at IS NOT NULL);

-- name: written
-- A language model wrote something of which nothing is left.
SELECT count(*) AS n, min(u.graph_id) AS one FROM user_summaries u
WHERE NOT EXISTS (SELECT 1 FROM episodes e WHERE e.graph_id = u.graph_id);

-- name: chapters
-- Of a run of the log without episodes or that was not gone through, or a fact from elsewhere.
SELECT count(*) AS n, min(c.graph_id || '/' || c.level || '/' || c.number) AS one FROM chapters c
JOIN graphs g ON g.id = c.graph_id
WHERE g.condenses = 0 OR c.number << CAST(3 * c.level AS INTEGER) > g.condensed
   OR NOT EXISTS (SELECT 1 FROM episodes e WHERE e.graph_id = c.graph_id
                  AND e.seq > (c.number - 1) * (CAST(32 AS BIGINT) << CAST(3 * c.level AS INTEGER))
                  AND e.seq <= c.number * (CAST(32 AS BIGINT) << CAST(3 * c.level AS INTEGER)))
   OR EXISTS (SELECT 1 FROM chapter_facts k WHERE k.chapter_id = c.id AND NOT EXISTS (
        SELECT 1 FROM supports p JOIN episodes e ON e.id = p.episode_id
        WHERE p.fact_id = k.fact_id AND p.role <> 'closes' AND e.graph_id = c.graph_id
          AND e.seq > (c.number - 1) * (CAST(32 AS BIGINT) << CAST(3 * c.level AS INTEGER))
          AND e.seq <= c.number * (CAST(32 AS BIGINT) << CAST(3 * c.level AS INTEGER))));

-- name: jobs
SELECT count(*) AS n, min(j.id) AS one FROM jobs j LEFT JOIN episodes e ON e.id = j.id
WHERE e.graph_id IS NOT j.graph_id;

-- name: unowed
SELECT count(*) AS n, min(e.uuid) AS one FROM episodes e
WHERE e.processed_at IS NULL AND e.ignored = 0
  AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = e.id);

-- name: batch_items
-- What was handed in is in its episode, and is forgotten with it.
SELECT count(*) AS n, min(i.uuid) AS one FROM batch_items i
LEFT JOIN batches b ON b.id = i.batch_id LEFT JOIN episodes e ON e.id = i.episode_id
WHERE b.id IS NULL OR (i.episode_id IS NOT NULL AND e.id IS NULL)
   OR (i.status IN ('queued', 'skipped') AND (i.content IS NOT NULL OR i.user_id IS NOT NULL
       OR i.graph_id IS NOT NULL OR i.thread_id IS NOT NULL));

-- name: users
-- A user without a node of their own, or a graph of a user who is not there.
SELECT count(*) AS n, min(g.uuid) AS one FROM graphs g LEFT JOIN users u ON u.graph_id = g.id
WHERE g.kind = 'user'
  AND NOT EXISTS (SELECT 1 FROM entities n WHERE n.uuid = u.entity_uuid AND n.graph_id = g.id
                  AND n.is_user = 1);

-- name: guidance
SELECT count(*) AS n, min(uuid) AS one FROM guidance
WHERE scope <> '' AND graph_id IS NULL;

-- name: session_logs
SELECT count(*) AS n, min(l.uuid) AS one FROM session_logs l
WHERE l.last_number <> (SELECT coalesce(max(e.number), 0) FROM session_log_episodes e
                        WHERE e.log_id = l.id)
   OR (l.user_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = l.user_id));

-- name: session_episodes
SELECT count(*) AS n, min(e.id) AS one FROM session_log_episodes e
LEFT JOIN session_logs l ON l.id = e.log_id WHERE l.id IS NULL OR e.number < 1;

-- name: session_turns
SELECT count(*) AS n, min(x.id) AS one FROM (
    SELECT t.id FROM session_log_turns t LEFT JOIN session_logs l ON l.id = t.log_id
    WHERE l.id IS NULL OR t.last_number - t.forked_at <> (SELECT count(*)
          FROM session_log_working w WHERE w.turn_key = t.id)
    UNION ALL
    SELECT w.id FROM session_log_working w LEFT JOIN session_log_turns t ON t.id = w.turn_key
    WHERE t.id IS NULL) x;

-- name: session_feeds
SELECT count(*) AS n, min(f.episode_id) AS one FROM session_log_fed f
LEFT JOIN episodes e ON e.id = f.episode_id
LEFT JOIN session_log_episodes s ON s.id = f.log_episode_id
LEFT JOIN session_logs l ON l.id = s.log_id LEFT JOIN users u ON u.id = l.user_id
LEFT JOIN traces t ON t.log_id = l.id
WHERE e.id IS NULL OR s.id IS NULL OR coalesce(u.graph_id, t.graph_id) IS NOT e.graph_id;

-- name: deliveries
-- Or to a webhook of another project.
SELECT count(*) AS n, min(d.uuid) AS one FROM webhook_deliveries d
LEFT JOIN graphs g ON g.id = d.graph_id LEFT JOIN webhooks w ON w.id = d.webhook_id
WHERE w.project_id IS NOT g.project_id
   OR (d.episode_uuid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM episodes e WHERE e.uuid = d.episode_uuid))
   OR (d.fact_uuid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.uuid = d.fact_uuid));
