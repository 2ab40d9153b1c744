import Web

/// Which events a call lists, and from where.
struct EventSelection: Sendable {
    enum Start: Sendable, Equatable {
        /// The oldest first, from behind a number on, with so many seconds of patience.
        case after(Int64, wait: Int)
        /// The newest first, up to a number. Nil: from the newest on.
        case before(Int64?)
    }

    let start: Start
    /// Nil for all kinds.
    let kind: Event.Kind?
    let limit: Int

    /// Reads the parameters. Throws a 400 that names the field.
    init(_ query: Query) throws(Problem) {
        let isNewestFirst = try Self.isNewestFirst(query)
        let after = try query.value("after").map { text throws(Problem) in try Self.number(text, "after") }
        let before = try query.value("before").map { text throws(Problem) in try Self.number(text, "before") }
        let seconds = try query.value("wait").map { text throws(Problem) in try Self.seconds(text) }
        for (name, isGiven, goesWithNewest) in [
            ("after", after != nil, false), ("wait", seconds != nil, false), ("before", before != nil, true),
        ] where isGiven && goesWithNewest != isNewestFirst {
            throw .invalid(name, "goes with order=\(goesWithNewest ? "newest" : "oldest") alone")
        }
        start = isNewestFirst ? .before(before) : .after(after ?? 0, wait: seconds ?? 0)
        kind = try query.value("type").map { text throws(Problem) in
            guard let kind = Event.Kind(rawValue: text) else {
                throw .invalid("type", "must be a type of events, as in docs/events.md")
            }
            return kind
        }
        limit = try query.limit(default: 100, most: 500)
    }

    private static func isNewestFirst(_ query: Query) throws(Problem) -> Bool {
        switch try query.value("order") {
        case nil, "oldest": false
        case "newest": true
        default: throw .invalid("order", "must be oldest or newest")
        }
    }

    static func number(_ text: String, _ field: String) throws(Problem) -> Int64 {
        guard let number = Int64(text), number >= 0 else {
            throw .invalid(field, "must be the id of an event")
        }
        return number
    }

    private static func seconds(_ text: String) throws(Problem) -> Int {
        guard let seconds = Int(text), (0...30).contains(seconds) else {
            throw .invalid("wait", "must be from 0 to 30 seconds")
        }
        return seconds
    }
}
