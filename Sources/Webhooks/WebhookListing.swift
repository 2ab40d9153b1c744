import Events
import Foundation
import Kernel
import Web

/// Finds endpoints, and how long their events wait.
package struct WebhookListing: Sendable {
    let store: WebhookStore
    let events: EventStore
    let policy: WebhookPolicy
    let now: @Sendable () -> Date

    /// Returns all endpoints, oldest first.
    func all() async throws -> [Webhook] {
        var webhooks: [Webhook] = []
        for webhook in try await store.list() { webhooks.append(try await lagging(webhook)) }
        return webhooks
    }

    func one(_ id: UUID) async throws -> Webhook? {
        guard let webhook = try await store.list(id).first else { return nil }
        return try await lagging(webhook)
    }

    private func lagging(_ webhook: Webhook) async throws -> Webhook {
        var webhook = webhook
        webhook.isStalled = webhook.waiting >= policy.mostParked
        let next = try await events.next(after: webhook.position)
        if let first = [webhook.firstWaiting, next].compactMap(\.self).min() {
            webhook.lag = max(0, now().timeIntervalSince(Date(microsecondsSince1970: first)))
        }
        return webhook
    }
}
