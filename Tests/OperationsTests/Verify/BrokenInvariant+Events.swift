/// Of clicks and events.
extension BrokenInvariant {
    static let clicks = [
        BrokenInvariant(
            "counts_of_deleted", deleted("fay"),
            "INSERT INTO counts (subject, measure, day, count) SELECT id::text, 'invites.page', current_date, 1 FROM users WHERE status = 'deleted'"
        ),
        BrokenInvariant(
            "link_clicks_differ",
            "INSERT INTO links (code, domain, kind, parameters, clicks) VALUES ('a/b', 'https://go.example.com', 'custom', '{\"link\":\"https://example.com/\"}', 5)",
            "INSERT INTO counts (subject, measure, day, count) VALUES ('https://go.example.com/a/b', 'links.page', current_date, 2), ('https://go.example.com/a/b', 'links.redirect', current_date, 2), ('https://go.example.com/a/b', 'links.install', current_date, 1)"
        ),
        unreadable("parts", "'[]'"), unreadable("parts", #"'{"platform":7}'"#),
        unreadable("parts", #"'{"platform":{"ios":1.5}}'"#),
        unreadable("parts", #"'{"platform":{"ios":null}}'"#),
        unreadable("members", "''"), unreadable("members", #"'\x07'"#), unreadable("members", #"'\x0102'"#),
        BrokenInvariant(
            "link_clicks_differ",
            "INSERT INTO links (code, domain, kind, parameters, clicks) VALUES ('a', 'https://go.example.com', 'custom', '{\"link\":\"https://example.com/\"}', 1)"
        ),
    ]

    private static func unreadable(_ column: String, _ value: String) -> BrokenInvariant {
        BrokenInvariant(
            "sum_unreadable",
            "INSERT INTO counts (subject, measure, day, count, \(column)) VALUES ('', 'people.sign_ups', current_date, 3, \(value))"
        )
    }

    static let events = [
        BrokenInvariant(
            "event_of_deleted", deleted("fay"),
            "UPDATE events SET facts = '{}' WHERE user_id = user_id('u-fay')"),
        BrokenInvariant("event_not_numbered", "UPDATE event_numbers SET last = last - 1"),
        BrokenInvariant(
            "delivery_forgotten",
            """
            WITH hook AS (
                INSERT INTO webhooks (id, url, types, secret, position)
                VALUES (gen_random_uuid(), 'https://a.example/', '{user.renamed}', '', 0) RETURNING id)
            INSERT INTO webhook_deliveries (webhook_id, event_id, user_id) SELECT id, n, user_id('u-ann') FROM hook, generate_series(1, 2) n
            """),
        BrokenInvariant(
            "delivery_forgotten",
            """
            WITH hook AS (
                INSERT INTO webhooks (id, url, types, secret, position)
                VALUES (gen_random_uuid(), 'https://a.example/', '{user.renamed}', '', 0) RETURNING id)
            INSERT INTO webhook_deliveries (webhook_id, event_id, user_id, dead_at)
            SELECT id, n, user_id('u-ann'), CASE n WHEN 1 THEN now() END FROM hook, generate_series(1, 2) n
            """),
    ]
}
