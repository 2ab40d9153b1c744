package import Postgres

/// The identity of a database: the number of its server, which `pg_upgrade` and a switch to a replica change,
/// and that of a table, which a restore of a dump changes. Phones that sync reload when it changes.
package struct DatabaseNumber: Equatable, Sendable, CustomStringConvertible {
    /// The number of the server. It is 0 if the role may not know it.
    var server: Int
    var table: Int

    package var description: String { "\(server).\(table)" }

    package init(_ row: inout Row) throws {
        (server, table) = try (row.next(), row.next())
    }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".").map { Int($0) }
        guard parts.count == 2, let server = parts[0], let table = parts[1] else { return nil }
        (self.server, self.table) = (server, table)
    }
}

/// What Kith noted about the number of its database.
package struct NotedDatabase: Equatable, Sendable, CustomStringConvertible {
    /// The number when it was noted.
    var number: DatabaseNumber
    /// The number that phones got for it. It is an earlier one if the change between them lost nothing.
    var shown: DatabaseNumber
    /// What phones got before that. Nil if there was nothing else, or if it must not count again.
    var before: DatabaseNumber?

    package var description: String {
        ([number, shown] + (before.map { [$0] } ?? [])).map(\.description).joined(separator: " ")
    }

    init(_ number: DatabaseNumber, shown: DatabaseNumber? = nil, before: DatabaseNumber? = nil) {
        (self.number, self.shown, self.before) = (number, shown ?? number, before)
    }

    package init?(_ text: String) {
        let words = text.split(separator: " ")
        let numbers = words.compactMap { DatabaseNumber($0) }
        guard (2...3).contains(numbers.count), numbers.count == words.count else { return nil }
        self.init(numbers[0], shown: numbers[1], before: numbers.count == 3 ? numbers[2] : nil)
    }

    /// Returns the number that phones get for a database.
    package static func shown(for number: DatabaseNumber, _ noted: NotedDatabase?) -> DatabaseNumber {
        noted?.number == number ? noted?.shown ?? number : number
    }

    /// Returns a note that the database with this number is the same as the one before. Nil if no other is
    /// known.
    func adopting(_ now: DatabaseNumber) -> NotedDatabase? {
        let shown = number == now ? before : shown
        return shown.map { NotedDatabase(now, shown: $0) }
    }
}
