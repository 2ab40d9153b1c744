import Foundation
import Kernel
import Postgres
import Web

/// Spending.
extension RewardStore {
    struct Spent: Sendable {
        var isNew: Bool
        var balance: Int
    }

    /// Spends credit of a user. The same id again changes nothing. Throws `balanceTooLow`, `spendReused`, or
    /// `AccountError.inactive`.
    func spend(_ amount: Int, of unit: String, by user: User.ID, id: String) async throws -> Spent {
        let posting = UUID(hashing: [Array("spend".utf8), Array(id.utf8)])
        let results = try await db.write.with(key: user).batch(
            [
                UserStore.lockActive(user, else: AccountError.inactive),
                """
                INSERT INTO reward_postings (user_id, id, kind, debit, credit, unit, amount)
                SELECT user_id, \(posting), 'spend', 'user', 'spent', unit, \(amount) FROM reward_postings
                WHERE user_id = \(user) AND unit = \(unit) GROUP BY user_id, unit HAVING \(Self.balance) >= \(amount)
                ON CONFLICT DO NOTHING
                """,
                """
                SELECT require(EXISTS (SELECT FROM reward_postings WHERE user_id = \(user) AND id = \(posting)),
                               \(RewardError.balanceTooLow))
                """,
                """
                SELECT require(EXISTS (SELECT FROM reward_postings WHERE user_id = \(user) AND id = \(posting)
                                       AND kind = 'spend' AND unit = \(unit) AND amount = \(amount)), \(RewardError.spendReused))
                """,
                "SELECT \(Self.balance)::bigint FROM reward_postings WHERE user_id = \(user) AND unit = \(unit)",
            ], throwing: RewardError.self, AccountError.self)
        return Spent(
            isNew: results[1].affected > 0,
            balance: Int(try results[4].first { try $0.next(as: Int64.self) } ?? 0))
    }
}
