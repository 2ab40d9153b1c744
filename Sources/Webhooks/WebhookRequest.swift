import Foundation
import Web

/// The body that creates a webhook: `{"url": …, "types": […]}`.
struct WebhookRequest: JSONBody, Sendable {
    var url: String
    /// The types of events. If they are absent, the usual ones.
    var types: [String]?

    enum CodingKeys: CodingKey, CaseIterable { case url, types }
}

/// The body of a change. What is absent stays as it is.
struct WebhookChangeRequest: JSONBody, Sendable {
    var url: String?
    var types: [String]?
    var paused: Bool?

    enum CodingKeys: CodingKey, CaseIterable { case url, types, paused }
}

/// The body that asks for events to be sent again. It has one of the three fields.
struct RedeliverRequest: JSONBody, Sendable {
    var eventId: String?
    /// A time by RFC 3339.
    var since: String?
    /// Whether all dead letters are meant.
    var dead: Bool?

    enum CodingKeys: CodingKey, CaseIterable { case eventId, since, dead }

    enum Which: Sendable, Equatable {
        case event(Int64)
        case since(Date)
        case dead
    }

    /// Returns what to send again. Throws a 400 that names the field.
    func which() throws(Problem) -> Which {
        switch (eventId, since, dead) {
        case (let text?, nil, nil):
            guard let id = Int64(text), id > 0 else {
                throw .invalid("eventId", "must be the id of an event")
            }
            return .event(id)
        case (nil, let text?, nil):
            guard let time = Self.time(text) else {
                throw .invalid("since", "must be a time as in 2026-11-21T09:30:00Z, and not in the future")
            }
            return .since(time)
        case (nil, nil, true?): return .dead
        case (nil, nil, false?): throw .invalid("dead", "must be true")
        default: throw .malformedBody("must have exactly one of `eventId`, `since` and `dead`")
        }
    }

    private static func time(_ text: String) -> Date? {
        let time =
            (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        return time.flatMap {
            (0..<Date().timeIntervalSince1970 + 60).contains($0.timeIntervalSince1970) ? $0 : nil
        }
    }
}
