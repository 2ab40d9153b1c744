import Postgres

/// The check that the state is what was published, and that publications are listed by their items. Apps,
/// whose content is no table of texts, and campaigns, which have a table of their own, are not in it.
extension TableCheck {
    static let publications = TableCheck(
        table: "applied_files", home: .text("section"), countsRows: false,
        invariants: [
            Invariant(
                "applied_unpublished", "an item differs from its last publication",
                .person(
                    "look at `kith config history`: somebody wrote the table by hand, so publish the section again"
                )),
            Invariant(
                "publication_unlisted", "a publication is not listed under an item that it changed",
                .person(
                    "somebody changed publications by hand: see the items of each row, and write its marked_items as they say"
                )),
        ],
        rows: { within in
            """
            WITH published AS MATERIALIZED (
                SELECT DISTINCT ON (i.item->>'section', i.item->>'key')
                       i.item->>'section' AS section, i.item->>'key' AS key, i.item->'after' AS fields
                FROM publications p CROSS JOIN LATERAL jsonb_array_elements(p.items) i (item)
                ORDER BY i.item->>'section', i.item->>'key', p.number DESC),
            unlisted AS MATERIALIZED (
                SELECT DISTINCT i.item->>'section' AS section
                FROM publications p CROSS JOIN LATERAL jsonb_array_elements(p.items) i (item)
                WHERE NOT p.marked_items @> ARRAY[
                    CASE WHEN i.item->'before' IS NULL THEN '+' WHEN i.item->'after' IS NULL THEN '-' ELSE '~' END
                    || (i.item->>'section') || '.' || (i.item->>'key')]),
            sections AS MATERIALIZED (
                SELECT section, coalesce(content->'entries', content->section) AS entries FROM applied_files
                UNION ALL
                SELECT DISTINCT section, '{}'::jsonb FROM published
                WHERE section NOT IN (SELECT section FROM applied_files)),
            mine AS MATERIALIZED (
                SELECT f.section AS home, f.entries FROM sections f
                WHERE f.section NOT IN ('apps', 'offers') AND \(within("f.section")))
            SELECT home, home AS key,
                   EXISTS (SELECT FROM published p WHERE p.section = home AND p.fields IS DISTINCT FROM entries->p.key)
                   OR EXISTS (SELECT FROM jsonb_object_keys(entries) k
                              WHERE NOT EXISTS (SELECT FROM published p WHERE p.section = home AND p.key = k))
                       AS applied_unpublished,
                   EXISTS (SELECT FROM unlisted l WHERE l.section = home) AS publication_unlisted
            FROM mine
            """
        })
}
