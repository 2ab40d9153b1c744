import Foundation
import Hummingbird
import Kernel

/// An event as webhooks, streams and pages of events send it. It has the form of Standard Webhooks
/// (https://www.standardwebhooks.com), `{"type", "timestamp", "data"}`, with the id beside these members.
package struct EventResponse: ResponseEncodable {
    package let event: Event

    package init(event: Event) {
        self.event = event
    }

    private enum Members: String, CodingKey { case id, type, timestamp, audience, data }

    private struct Member: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Members.self)
        // The id is a text: JavaScript's numbers are not exact enough for it, and nobody calculates with it.
        try members.encode(String(event.id), forKey: .id)
        try members.encode(event.kind, forKey: .type)
        try members.encode(event.at, forKey: .timestamp)
        try members.encode(event.kind.isForUser ? "user" : "backend", forKey: .audience)
        var data = members.nestedContainer(keyedBy: Member.self, forKey: .data)
        for (name, fact) in event.facts { try data.encode(fact, forKey: Member(stringValue: name)) }
        for (name, party) in [("user", event.user), (event.kind.nameOfOther, event.other)] {
            guard let name, let party, !party.isNobody else { continue }
            try data.encode(party, forKey: Member(stringValue: name))
        }
        try data.encode(event.badge, forKey: Member(stringValue: "badge"))
    }
}

extension Event.Party: Encodable {
    private enum Members: CodingKey { case uid }

    fileprivate var isNobody: Bool { if case .nobody = self { true } else { false } }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .profile(let profile): try profile.encode(to: encoder)
        case .uid(let uid):
            var members = encoder.container(keyedBy: Members.self)
            try members.encode(uid, forKey: .uid)
        case .nobody: break
        }
    }
}
