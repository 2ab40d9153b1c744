import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import Postgres
import TestSupport
import Testing

@testable import Events
@testable import Kernel
@testable import Kith

/// Reading what was told.
extension TestApp {
    var eventStore: EventStore { EventStore(db: db) }

    /// Numbers all events, as a server does by itself, and wakes those who wait.
    func numberEvents() async throws {
        let service = EventService(
            store: eventStore, feed: app.events, policy: EventPolicy(), logger: .init(label: "test"))
        while try await count("outbox") > 0 { try await service.numberSome() }
        try await service.numberSome()
    }

    /// All events behind a number, as an admin key gets them.
    func events(after: String = "0") async throws -> [ToldEvent] {
        try await numberEvents()
        let key = try await APIKeyStore(db: db).create(name: "events", scope: .admin)
        var (all, after) = ([ToldEvent](), after)
        while true {
            let page = try await get(
                "/v1/admin/events?after=\(after)&limit=500", headers: [.authorization: "Bearer \(key)"])
            try #require(page.status == 200, "\(page.text)")
            let events = page.json["events"] as? [[String: Any]] ?? []
            if events.isEmpty { return all }
            all += events.map(ToldEvent.init)
            after = page["next"] ?? ""
        }
    }

    /// Opens a stream, of an app that serves.
    /// - Parameter signed: when its ID token was, which is valid for seven days.
    func openStream(
        as uid: String, after: String? = nil, origin: String? = nil, signed: Date = Date()
    ) async throws -> RawConnection {
        let connection = try RawConnection(to: UInt16(try #require(client.port)))
        let token = try await Self.key.get().sign(uid: uid, at: signed)
        let after =
            (after.map { "Last-Event-ID: \($0)\r\n" } ?? "") + (origin.map { "Origin: \($0)\r\n" } ?? "")
        await connection.say(
            Array(
                "GET /v1/me/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\(after)\r\n".utf8
            ))
        return connection
    }

    /// The numbers of events so far.
    func lastEvent() async throws -> String {
        try await numberEvents()
        return String(try await eventStore.last())
    }

    /// What an act makes be told, in a line for each event, sorted.
    func told(_ act: () async throws -> Void) async throws -> [String] {
        let before = try await lastEvent()
        try await act()
        return try await events(after: before).map(\.line).sorted()
    }
}

/// An event as it was sent.
struct ToldEvent {
    let json: [String: Any]

    var id: Int64 { (json["id"] as? String).flatMap { Int64($0) } ?? 0 }
    var type: String { json["type"] as? String ?? "" }
    var data: [String: Any] { json["data"] as? [String: Any] ?? [:] }

    func uid(_ name: String) -> String? { (data[name] as? [String: Any])?["uid"] as? String }

    /// As `friend.created u-ann: friend=u-bob`.
    var line: String {
        let name = Event.Kind(rawValue: type)?.nameOfOther
        let people = [name].compactMap(\.self).filter { $0 != "inviter" || data[$0] != nil }
            .map { "\($0)=\(uid($0) ?? "nobody")" }
        let facts = data.compactMap { name, value in
            let text = value as? String ?? (name == "badge" ? nil : (value as? NSNumber)?.stringValue)
            return text.map { "\(name)=\(name == "code" ? "…" : $0)" }
        }
        return "\(type) \(uid("user") ?? "nobody"): \((people + facts.sorted()).joined(separator: " "))"
            .trimmingCharacters(in: .whitespaces)
    }
}
