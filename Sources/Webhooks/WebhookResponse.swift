import Foundation
import Hummingbird

/// An endpoint, and its state.
package struct WebhookResponse: ResponseEncodable {
    let id: String
    let url: String
    let types: [String]
    let createdAt: Date
    let state: String
    /// The id of an event up to which it has all events, except those that wait one by one.
    let position: String
    /// How long the first event that it does not have has been waiting.
    let lagSeconds: Double
    let waiting: Int64
    let dead: Int64
    let failingSince: Date?
    let pausedAt: Date?
    let lastError: String?
    let lastErrorAt: Date?
    let missed: Int64
    let missedUntil: Date?
    let oldSecretUntil: Date?

    init(_ webhook: Webhook, now: Date) {
        id = webhook.id.uuidString.lowercased()
        (url, types, createdAt, state) = (webhook.url, webhook.types, webhook.createdAt, webhook.state)
        position = String(webhook.position)
        lagSeconds = (webhook.lag * 1000).rounded() / 1000
        (waiting, dead) = (webhook.waiting, webhook.dead)
        (failingSince, pausedAt) = (webhook.failingSince, webhook.pausedAt)
        (lastError, lastErrorAt) = (webhook.lastError, webhook.lastErrorAt)
        (missed, missedUntil) = (webhook.missed, webhook.missedUntil)
        oldSecretUntil = webhook.oldSecretUntil.flatMap { $0 > now ? $0 : nil }
    }
}

/// All endpoints.
package struct WebhooksResponse: ResponseEncodable {
    let webhooks: [WebhookResponse]
}

/// An endpoint that was just created, with its secret, which is shown only once.
package struct CreatedWebhookResponse: ResponseEncodable {
    let id: String
    let url: String
    let types: [String]
    let secret: String

    init(_ created: WebhookSetup.Created) {
        id = created.id.uuidString.lowercased()
        (url, types, secret) = (created.url, created.types, created.secret)
    }
}

/// A new secret, which is shown only once.
package struct WebhookSecretResponse: ResponseEncodable {
    let secret: String
    /// How long the previous secret also signs.
    let oldSecretUntil: Date
}

/// What is sent again.
package struct RedeliverResponse: ResponseEncodable {
    /// How many dead letters are sent. Absent for other events.
    let dead: Int?
}

/// What came of a test event.
package struct WebhookTestResponse: ResponseEncodable {
    let eventId: String
    let delivered: Bool
    /// Absent if the endpoint gave no answer.
    let status: Int?
    let error: String?
    let milliseconds: Int

    init(_ test: WebhookTest) {
        (eventId, delivered, status) = (test.id, test.error == nil, test.status)
        (error, milliseconds) = (test.error, test.milliseconds)
    }
}

/// Events that an endpoint did not take in three days.
package struct DeadLettersResponse: ResponseEncodable {
    let events: [Letter]
    /// The `after` of the next page. Absent at the end.
    let next: String?

    struct Letter: Encodable, Sendable {
        let eventId: String
        let attempts: Int
        let firstFailedAt: Date?
        let deadAt: Date?
        let lastError: String?
    }

    init(_ events: [ParkedEvent], limit: Int) {
        self.events = events.prefix(limit).map {
            Letter(
                eventId: String($0.id), attempts: $0.attempts, firstFailedAt: $0.firstFailedAt,
                deadAt: $0.deadAt,
                lastError: $0.lastError)
        }
        next = events.count > limit ? String(events[limit - 1].id) : nil
    }
}
