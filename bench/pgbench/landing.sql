-- What a landing reads, as in LandingStore.swift: :id is that of `invitedBy`, :name the folded name in the path.
WITH named AS MATERIALIZED (SELECT user_id, state FROM usernames WHERE name_key = :name)
SELECT true, uid, username, display_name, status = 'active', history_complete,
       EXISTS (SELECT FROM username_periods p
               WHERE p.user_id = :id AND p.name_key = :name AND NOT p.severed),
       EXISTS (SELECT FROM username_periods p
               WHERE p.user_id = :id AND p.name_key = :name AND p.severed),
       EXISTS (SELECT FROM named)
FROM users WHERE id = :id
UNION ALL
SELECT false, u.uid, u.username, u.display_name, u.status = 'active', true, false, false, true
FROM named JOIN users u ON u.id = named.user_id WHERE named.state = 'active';
