import Foundation
package import Kernel
package import Postgres
import Web

/// The codes that rewards give: what dealing one means for the reward, in the same batch.
extension RewardStore: OfferDealingRule {
    /// Ends the batch if the campaign is only for rewards, and no reward gives the user its code.
    package static func requireEarned(_ campaign: String, _ user: User.ID) -> Statement {
        """
        WITH closed AS MATERIALIZED (SELECT key FROM offer_campaigns WHERE key = \(campaign) AND rewards_only),
        earned AS MATERIALIZED (
            SELECT id FROM rewards WHERE user_id = \(user) AND kind = 'offer' AND unit = \(campaign)
              AND state IN ('approved', 'assigned', 'settled'))
        SELECT require(NOT EXISTS (SELECT FROM closed) OR EXISTS (SELECT FROM earned), \(OfferError.notEarned))
        """
    }

    /// Returns statements that note that the user has a code: the reward gets the code, and the ledger notes
    /// that the code cannot come back.
    package static func noteDealt(_ campaign: String, _ user: User.ID) -> [Statement] {
        let change = UUID.random()
        return [
            """
            UPDATE rewards SET state = 'assigned', change_id = \(change), changed_at = now()
            WHERE user_id = \(user) AND kind = 'offer' AND unit = \(campaign) AND state = 'approved'
            """,
            """
            INSERT INTO reward_postings (user_id, id, kind, debit, credit, program, unit, amount, reward_id)
            SELECT r.user_id, \(UUID.random()), 'spend', 'user', 'spent', r.program, 'offer:' || r.unit, 1, r.id FROM rewards r
            WHERE r.user_id = \(user) AND r.kind = 'offer' AND r.unit = \(campaign) AND r.change_id = \(change)
              -- It may have been taken back and given again since the code was dealt.
              AND NOT EXISTS (SELECT FROM reward_postings p WHERE p.user_id = \(user) AND p.user_id = r.user_id AND p.reward_id = r.id
                              AND p.kind = 'spend')
            """,
        ]
    }
}
