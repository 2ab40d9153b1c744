-- A page of friends, as in FriendListStore.swift: :id lists 50. Instead of the product's NULL for no cursor, it has the
-- greatest id.
SELECT other_display_name, since, other_uid, other_username, other_id
FROM relationships
WHERE user_id = :id AND since IS NOT NULL AND NOT they_away
  AND EXISTS (SELECT FROM users WHERE id = :id AND status = 'active')
  AND since <= '4001-01-01'
  AND (since < '4001-01-01' OR other_id > 'ffffffff-ffff-ffff-ffff-ffffffffffff')
ORDER BY since DESC, other_id LIMIT 51;
