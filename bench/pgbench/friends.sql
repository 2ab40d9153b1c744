-- A page of friends, as in FriendListStore.swift: :id lists 50. Where the product binds NULL, no cursor, an id
-- stands that none is greater than.
WITH edges AS MATERIALIZED (
    SELECT other_id, since FROM relationships
    WHERE user_id = :id AND since IS NOT NULL AND NOT they_away
      AND EXISTS (SELECT FROM users WHERE id = :id AND status = 'active')
      AND since <= '4001-01-01'
      AND (since < '4001-01-01' OR other_id > 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    ORDER BY since DESC, other_id LIMIT 51)
SELECT edges.other_id, edges.since, u.uid, u.username, u.display_name
FROM edges JOIN users u ON u.id = edges.other_id
ORDER BY edges.since DESC, edges.other_id;
