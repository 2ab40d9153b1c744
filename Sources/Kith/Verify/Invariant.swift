/// Something that is true of every database that only Kith has written.
public struct Invariant: Equatable, Sendable {
    /// How the report names a breach of it: snake_case, and the name of its column in a sweep.
    public let name: String
    /// What is wrong where it is broken.
    public let breach: String
    public let remedy: Remedy
    /// When `--repair` leaves it as it is.
    public let exception: String?

    public enum Remedy: Equatable, Sendable {
        /// There is one right answer, and `--repair` gives it.
        case repair
        /// A person decides; the text says by what.
        case person(String)
    }

    init(_ name: String, _ breach: String, _ remedy: Remedy, unless exception: String? = nil) {
        self.name = name
        self.breach = breach
        self.remedy = remedy
        self.exception = exception
    }
}

/// One walk over a table, which checks several invariants of its rows at once.
struct Sweep: Sendable {
    /// What the home key of the table is.
    enum Home: Sendable {
        case user, name, code

        /// As what the text of a home key is compared.
        var type: String { self == .user ? "uuid" : "text" }
    }

    var table: String
    var home: Home
    /// So many rows of the table are looked at by one statement, which takes a second or less.
    var sliceRows = 20_000
    /// False where another sweep counts the same rows.
    var countsRows = true
    var invariants: [Invariant]
    /// A query with `home`, `key` by which people know the row, and for each invariant a column of its
    /// name, true where it is broken.
    var rows: String
    /// What mends the rows of some homes, `$1`, in this order, while nobody else writes them.
    var repairs: [String] = []
    /// What mends names of some homes, `$1`. It comes before users are locked, as everywhere.
    var repairsOfNames: [String] = []
    /// Whether repairs write rows of the homes' pairs.
    var changesPairs = false
    /// Whether anything of it can be mended.
    var hasRepairs: Bool { invariants.contains { $0.remedy == .repair } }
}

extension Sweep {
    static let all: [Sweep] = [
        .users, .periods, .usernames, .namesakes, .relationships, .dismissals, .links, .linksByOwner,
        .linkUses,
        .acceptances, .signups,
    ]
}

/// A part of a table by its home keys.
enum Slice: Equatable, Sendable {
    /// Users whose ids begin with these 32 bits.
    case users(Range<Int>)
    /// From a text on; up to another, but not it, or to the end.
    case texts(from: String, before: String?)

    static let allUsers = 0..<(1 << 32)

    /// The smaller parts to try where the whole takes too long; none where it cannot be split.
    var halves: [Slice] {
        guard case .users(let range) = self, range.count > 1 else { return [] }
        let middle = range.lowerBound + range.count / 2
        return [.users(range.lowerBound..<middle), .users(middle..<range.upperBound)]
    }

    /// The home keys from one on, up to another but not it; nil: to the end.
    var bounds: (from: String, before: String?) {
        switch self {
        case .users(let range): (Self.userID(range.lowerBound) ?? "", Self.userID(range.upperBound))
        case .texts(let from, let before): (from, before)
        }
    }

    /// Equal parts of all users: ids are hashes, so each has about as many.
    static func ofUsers(_ count: Int) -> [Slice] {
        let count = min(max(1, count), 1 << 20)
        return (0..<count).map {
            .users(($0 * allUsers.count / count)..<(($0 + 1) * allUsers.count / count))
        }
    }

    /// The least id that begins with these 32 bits; nil beyond the last.
    static func userID(_ prefix: Int) -> String? {
        guard prefix < allUsers.upperBound else { return nil }
        let digits = String(prefix, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits + "-0000-0000-0000-000000000000"
    }
}
