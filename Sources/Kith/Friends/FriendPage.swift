import Foundation
import Postgres

/// A page of friends as PostgreSQL gave it. Its fields go from there into JSON, without values between them:
/// making these took longer than finding the rows.
struct FriendPage: Sendable {
    enum Order: String, Sendable {
        case recent, name
    }

    /// Display name, since, uid, username, id, and by name the folded username: one row more than the page
    /// holds where another page follows.
    let rows: Rows
    let limit: Int
    let order: Order

    var isEmpty: Bool { rows.isEmpty }

    /// Where the next page begins.
    func next() throws -> Cursor? {
        guard rows.count > limit else { return nil }
        var row = rows[limit - 1]
        let (_, since): (String?, Date) = try (row.next(), row.next())
        let (_, _, id): (String, String, UUID) = try (row.next(), row.next(), row.next())
        return switch order {
        case .recent: Cursor(at: since, id: id)
        case .name: NameCursor(name: try row.next(), id: id).cursor
        }
    }

    /// The page as it goes over the wire.
    func json(next: String?) throws -> JSONText {
        let shown = min(rows.count, limit)
        var text = JSONText(capacity: 64 + shown * 128)
        text.raw("{\"friends\":[")
        for position in 0..<shown {
            if position > 0 { text.raw(",") }
            var row = rows[position]
            let hasName = try row.nextText { name in
                guard let name else { return false }
                text.raw("{\"displayName\":\"")
                text.escaped(name)
                return true
            }
            text.raw(hasName ? "\",\"since\":\"" : "{\"since\":\"")
            text.timestamp(try row.next())
            text.raw("\",\"uid\":\"")
            try row.nextText { text.escaped($0) }
            text.raw("\",\"username\":\"")
            try row.nextText { text.escaped($0) }
            text.raw("\"}")
        }
        text.raw("]")
        if let next {
            text.raw(",\"next\":\"")
            text.escaped(next)
            text.raw("\"")
        }
        text.raw("}")
        return text
    }
}
