-- A page of friends: :id lists 50.
-- The product's own statements, written by BenchStatementsTests.swift.
SELECT other_avatar_url, other_display_name, other_metadata, since, other_uid, other_username, other_id
FROM relationships
WHERE user_id = :id::uuid AND since IS NOT NULL AND NOT they_away
  AND EXISTS (SELECT FROM users WHERE id = :id::uuid AND status = 'active')
  AND since <= '4001-01-01'::timestamptz AND (since < '4001-01-01'::timestamptz OR other_id > 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
ORDER BY since DESC, other_id LIMIT 51;
