import Postgres

/// One pass over a table that checks several invariants of its rows at once.
struct Sweep: Sendable {
    /// The kind of the table's home key.
    enum Home: Sendable {
        case user, name, code
        /// The link for which clicks are counted.
        case link
        /// The campaign of offers.
        case campaign
        /// Apple's id of a purchase.
        case purchase
        /// The program of rewards.
        case program

        /// The SQL type in which home keys are compared.
        var type: Statement { self == .user ? "uuid" : "text" }
    }

    typealias Repairs = @Sendable (_ homes: [String]) -> [Statement]

    var table: String
    var home: Home
    /// How many rows one statement checks, in a second or less.
    var sliceRows = 20_000
    /// Whether its rows are counted. False if another sweep counts the same rows.
    var countsRows = true
    var invariants: [Invariant]
    /// Returns a query with the columns `home`, `key`, a readable name of the row, and one for each
    /// invariant, which is true if the row breaks it.
    ///
    /// Its query `mine` reads the table where `within` holds for the home key. What other homes have is
    /// looked up by inner joins, each in a query of its own, with the key of `mine`: on Citus an outer join
    /// would copy the other table.
    var rows: @Sendable (_ within: (Statement) -> Statement) -> Statement
    /// Statements that repair the rows of some homes, in this order, while nobody else writes them.
    var repairs: Repairs = { _ in [] }
    /// Statements that repair names of some homes. They run before users are locked, as in every write.
    var repairsOfNames: Repairs = { _ in [] }
    /// Whether repairs write both rows of the homes' pairs.
    var changesPairs = false
    /// Compares a column with a value so that a join finds each row by an index. With `=` the planner may
    /// read the whole other table instead, which it takes for cheaper.
    static func found(_ column: Statement, _ value: Statement) -> Statement {
        "\(column) = ANY (ARRAY[\(value)])"
    }

    /// Whether any invariant can be repaired.
    var hasRepairs: Bool { invariants.contains { $0.remedy == .repair } }
}

extension Sweep {
    static let all: [Sweep] = [
        .users, .periods, .usernames, .namesakes, .relationships, .dismissals, .links, .linksByOwner,
        .linkUses, .acceptances, .signups, .installs, .clickCounts, .events, .webhookDeliveries,
        .offerCampaigns, .offerCodes, .purchases, .exposures, .referrals, .rewards, .rewardPostings,
        .rewardBudgets,
    ]
}

/// A part of a table: a range of its home keys.
enum Slice: Equatable, Sendable {
    /// Users whose ids begin with these 32 bits.
    case users(Range<Int>)
    /// Home keys from a text on, up to another, which is excluded, or to the end.
    case texts(from: String, before: String?)

    static let allUsers = 0..<(1 << 32)

    /// The smaller parts to try if the whole takes too long. Empty if it cannot be split.
    var halves: [Slice] {
        guard case .users(let range) = self, range.count > 1 else { return [] }
        let middle = range.lowerBound + range.count / 2
        return [.users(range.lowerBound..<middle), .users(middle..<range.upperBound)]
    }

    /// The first home key, and the one that ends the range, which is excluded. Nil for the end of the table.
    var bounds: (from: String, before: String?) {
        switch self {
        case .users(let range): (Self.userID(range.lowerBound) ?? "", Self.userID(range.upperBound))
        case .texts(let from, let before): (from, before)
        }
    }

    /// Returns equal parts of all users. Ids are hashes, so each part has about the same number.
    static func ofUsers(_ count: Int) -> [Slice] {
        let count = min(max(1, count), 1 << 20)
        return (0..<count).map {
            .users(($0 * allUsers.count / count)..<(($0 + 1) * allUsers.count / count))
        }
    }

    /// Returns the least id that begins with these 32 bits. Nil beyond the last.
    static func userID(_ prefix: Int) -> String? {
        guard prefix < allUsers.upperBound else { return nil }
        let digits = String(prefix, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits + "-0000-0000-0000-000000000000"
    }
}
