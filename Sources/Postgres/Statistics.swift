extension Database {
    /// Counts of all lanes: totals since the start, and current values.
    public struct Statistics: Sendable {
        public var landings, read, lists, write, walks, bulk, exclusive: LaneStatistics
        /// Counts of the reads that may go to standbys. Nil without standbys.
        public var standbys: StandbyStatistics?

        /// Open connections to the primary, except those that are lent to one caller.
        public var connectionsUp: Int {
            [landings, read, lists, write, walks, bulk].reduce(0) { $0 + $1.connectionsUp }
        }
    }
}

/// One lane's counts.
public struct LaneStatistics: Sendable {
    /// Upper bounds of the buckets of `groupSizes`; the last bucket has none.
    public static let groupSizeBounds = [1, 2, 4, 8, 16, 32, 64, 128]

    public internal(set) var groups = 0
    public internal(set) var requests = 0
    public internal(set) var statements = 0
    /// How many groups had at most 1, 2, 4, … requests, each group in one bucket.
    public internal(set) var groupSizes = [Int](repeating: 0, count: groupSizeBounds.count + 1)
    /// Requests refused at once, because too many waited or none were answered.
    public internal(set) var refused = 0
    /// Requests retried after a deadlock or a serialization failure.
    public internal(set) var retried = 0
    public internal(set) var waiting = 0
    public internal(set) var inFlight = 0
    public internal(set) var connectionsUp = 0
    /// Connections opened, including the first ones.
    public internal(set) var connects = 0
    /// Failed attempts to connect.
    public internal(set) var connectFailures = 0
    /// Requests not answered by their deadline.
    public internal(set) var expired = 0
    /// Refused statements by the first two characters of their SQLSTATE.
    public internal(set) var errors: [String: Int] = [:]

    mutating func count(_ group: [Request]) {
        groups += 1
        requests += group.count
        for request in group { statements += request.statements.count }
        let bounds = LaneStatistics.groupSizeBounds
        groupSizes[bounds.firstIndex { group.count <= $0 } ?? bounds.count] += 1
    }

    /// The totals since the start, without the current values, which a closed connection no longer has.
    var sinceStart: LaneStatistics {
        var counters = self
        (counters.waiting, counters.inFlight, counters.connectionsUp) = (0, 0, 0)
        return counters
    }

    static func + (left: LaneStatistics, right: LaneStatistics) -> LaneStatistics {
        var sum = left
        sum.groups += right.groups
        sum.requests += right.requests
        sum.statements += right.statements
        sum.groupSizes = zip(left.groupSizes, right.groupSizes).map(+)
        sum.refused += right.refused
        sum.retried += right.retried
        sum.waiting += right.waiting
        sum.inFlight += right.inFlight
        sum.connectionsUp += right.connectionsUp
        sum.connects += right.connects
        sum.connectFailures += right.connectFailures
        sum.expired += right.expired
        sum.errors.merge(right.errors, uniquingKeysWith: +)
        return sum
    }
}
