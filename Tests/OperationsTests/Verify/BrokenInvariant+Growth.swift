/// Of offers, purchases and experiments.
extension BrokenInvariant {
    static let offers = [
        BrokenInvariant(
            "quarter_overcounted", campaigns,
            "UPDATE offer_campaigns SET quarter = '2026-10-01', quarter_dealt = 1 WHERE key = 'spring'"),
        BrokenInvariant(
            "offer_code_twice", campaigns,
            """
            INSERT INTO offer_codes (campaign, id, sealed, expires_at)
            SELECT key, '00000000-0000-4000-8000-000000000001', '', now() FROM offer_campaigns
            """),
        BrokenInvariant(
            "offer_code_of_deleted", deleted("fay"), campaigns,
            """
            INSERT INTO offer_codes (campaign, id, sealed, expires_at, dealt_at, deal_id, user_id)
            VALUES ('spring', gen_random_uuid(), '', now() + interval '1 day', now(), gen_random_uuid(), user_id('u-fay'))
            """),
        BrokenInvariant(
            "offer_code_of_nobody", campaigns,
            """
            INSERT INTO offer_codes (campaign, id, sealed, expires_at, dealt_at, deal_id, user_id)
            VALUES ('spring', gen_random_uuid(), '', now() + interval '1 day', now(), gen_random_uuid(), user_id('u-ghost'))
            """),
        BrokenInvariant(
            "offer_code_dealt_late", campaigns,
            """
            INSERT INTO offer_codes (campaign, id, sealed, expires_at, dealt_at, deal_id)
            VALUES ('spring', gen_random_uuid(), '', now(), now() + interval '1 day', gen_random_uuid())
            """),
    ]

    static let purchases = [
        BrokenInvariant("purchase_without_period", purchase("NULL", tied: "NULL")),
        BrokenInvariant(
            "purchase_of_deleted", deleted("fay"), purchase("user_id('u-fay')", tied: "now()"), period("NULL")
        ),
        BrokenInvariant(
            "purchase_of_nobody", purchase("user_id('u-ghost')", tied: "now()"), period("NULL")),
        BrokenInvariant(
            "period_backwards", purchase("NULL", tied: "NULL"), period("now() - interval '1 day'")),
    ]

    private static func period(_ end: String) -> String {
        """
        INSERT INTO purchase_periods (original_transaction_id, environment, transaction_id, product_id, purchased_at,
                                      expires_at, upgraded, signed_at)
        VALUES ('1', 'production', '1', 'coins', now(), \(end), false, now())
        """
    }

    private static func purchase(_ user: String, tied: String) -> String {
        """
        INSERT INTO purchases (original_transaction_id, environment, change_id, bundle_id, type, family_shared,
                               started_at, user_id, tied_at)
        VALUES ('1', 'production', gen_random_uuid(), 'com.example.app', 'Consumable', false, now(), \(user), \(tied))
        """
    }

    static let experiments = [
        BrokenInvariant(
            "exposure_of_deleted", deleted("fay"),
            "INSERT INTO exposures (unit, experiment, phase, variation) VALUES (user_id('u-fay'), 'exp', 1, 'control')"
        ),
        BrokenInvariant(
            "conversion_before_exposure",
            "INSERT INTO exposures (unit, experiment, phase, variation) VALUES (gen_random_uuid(), 'exp', 1, 'control')",
            """
            INSERT INTO conversions (unit, experiment, phase, goal, reached_at)
            SELECT unit, experiment, phase, 'friend', exposed_at - interval '1 hour' FROM exposures
            """),
        BrokenInvariant(
            "conversion_late",
            "INSERT INTO exposures (unit, experiment, phase, variation) VALUES (gen_random_uuid(), 'exp', 1, 'control')",
            """
            INSERT INTO conversions (unit, experiment, phase, goal, reached_at)
            SELECT unit, experiment, phase, 'friend', exposed_at + interval '31 days' FROM exposures
            """),
        BrokenInvariant(
            "applied_unpublished",
            "INSERT INTO applied_files (section, content, version) VALUES ('values', '{\"entries\": {\"a\": {\"value\": \"x\"}}}', 1)"
        ),
        BrokenInvariant(
            "applied_unpublished", experiment,
            """
            UPDATE applied_files SET content = '{"entries": {}}' WHERE section = 'experiments'
            """),
        BrokenInvariant(
            "applied_unpublished", experiment, "DELETE FROM applied_files WHERE section = 'experiments'"),
        BrokenInvariant(
            "publication_unlisted", experiment, "UPDATE publications SET marked_items = '{~experiments.exp}'"),
        BrokenInvariant(
            "exposure_of_no_variation", experiment,
            "INSERT INTO exposures (unit, experiment, phase, variation) VALUES (gen_random_uuid(), 'exp', 2, 'c')"
        ),
    ]

    /// With two variations, in its second phase.
    private static let experiment = """
        WITH fields AS (SELECT '{"goal": "bought", "phase": "2", "variations.control.weight": "50",
                                 "variations.b.weight": "50"}'::jsonb AS fields),
        published AS (
            INSERT INTO publications (number, actor, source, marked_items, items, effects)
            SELECT 1, 'command:x@y', 'file', '{+experiments.exp}',
                   jsonb_build_array(jsonb_build_object('section', 'experiments', 'key', 'exp', 'after', fields)), '[]'
            FROM fields)
        INSERT INTO applied_files (section, content, version)
        SELECT 'experiments', jsonb_build_object('entries', jsonb_build_object('exp', fields)), 1 FROM fields
        """

    private static let campaigns = """
        INSERT INTO offer_campaigns (key, app_store_id, offer, environment, low_water)
        SELECT key, '1', key, 'production', 0 FROM unnest(ARRAY['spring', 'summer']) key
        """
}
