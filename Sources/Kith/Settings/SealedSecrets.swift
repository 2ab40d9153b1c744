import Foundation
import Growth
import Kernel
import Logging
package import Postgres
import Webhooks

/// The secrets in the database that `KITH_SECRETS_KEY` encrypted, and whether this process can open them.
package struct SealedSecrets: Sendable {
    private let db: Database
    private let key: SecretsKey?

    package init(_ db: Database, _ config: Config) {
        (self.db, key) = (db, config.secretsKey)
    }

    /// Whether this process has a key at all.
    package var hasKey: Bool { key != nil }

    /// Returns what cannot be opened, such as `the codes of campaign spring`. If no key is set, that is
    /// everything.
    package func closed() async throws -> [String] {
        let campaigns = try await OfferStore(db: db).keys(otherThan: key.map(OfferDealing.mark))
        let webhooks = try await WebhookStore(db: db).secrets().filter { id, secret in
            key?.open(secret, for: WebhookSetup.place(id)) == nil
        }
        return campaigns.map { "the codes of campaign \($0.text)" }
            + webhooks.map { "the secret of webhook \($0.id.uuidString.lowercased())" }
    }

    /// What to do about it.
    package var advice: String {
        key == nil
            ? "KITH_SECRETS_KEY is not set, and the database holds what it encrypted: set it as on the other servers"
            : "KITH_SECRETS_KEY does not open what the database holds: set the one that encrypted it, or make that anew"
    }

    /// Logs what cannot be opened. A server goes on without it, since everything else works.
    func tell(_ logger: Logger) async {
        guard let closed = try? await closed(), !closed.isEmpty else { return }
        let more = closed.count > 10 ? " and \(closed.count - 10) more" : ""
        logger.error("\(advice)", metadata: ["closed": "\(closed.prefix(10).joined(separator: ", "))\(more)"])
    }
}
