/// Finds who brought most in some days among those who ever brought most, best first. Nobody brought more in
/// these days than ever, so it need not look at all.
struct InviterRanking: Equatable, Sendable {
    /// A user, and how many signed up by their invites.
    struct Inviter: Comparable, Sendable {
        var id: String
        var joined: Int64

        /// Whether it stands before another one: of equal ones the higher id.
        static func < (one: Self, other: Self) -> Bool {
            (other.joined, other.id) < (one.joined, one.id)
        }
    }

    private let limit: Int
    private var isAll = false
    /// Those who brought most in the days, of whom were looked at.
    private(set) var most: [Inviter] = []
    /// The last who was looked at, with all that they ever brought. Nil if nobody was.
    private(set) var last: Inviter?

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether nobody else can be among the most: at best, they brought in these days all that they ever did.
    var isComplete: Bool {
        guard !isAll else { return true }
        guard let last, most.count == limit, let least = most.last else { return false }
        return least <= last
    }

    /// - Parameters:
    ///   - sums: what the next users brought in the days.
    ///   - part: these users in order, with what they ever brought.
    ///   - isLastPart: whether nobody comes after them.
    mutating func add(_ sums: [Inviter], of part: [Inviter], isLastPart: Bool) {
        most = Array((most + sums).sorted().prefix(limit))
        last = part.last ?? last
        isAll = isLastPart
    }
}
