/// The requests that wait in a lane, oldest first.
///
/// Requests with a statement that timed out in the last second are suspects and wait apart: one connection at
/// a time tries them, so that they do not delay the others. Belongs to `Inbox`.
struct Queue {
    // The key is stored beside the request so that a search for the next one that may run reads only one
    // array.
    private struct Entry {
        let request: Request
        let key: Int
        /// When its current wait began.
        var since: Nanoseconds

        init(_ request: Request, key: Int? = nil) {
            (self.request, self.key, since) = (request, key ?? request.key, request.enqueuedAt)
        }
    }

    /// The key that a connection holds while it tries suspects.
    static let suspectKey = 1

    private var entries: [Entry] = []
    private var apart: [Entry] = []
    private var suspects = SuspectStatements()
    /// How many suspects to try at once. The number doubles each time, up to 16, until one fails again.
    private var tries = 1

    var isEmpty: Bool { entries.isEmpty && apart.isEmpty }
    var count: Int { entries.count + apart.count }
    var hasSuspects: Bool { !apart.isEmpty }

    /// Returns the oldest request of one line, the suspects or the others, and the line's length.
    func line(ofSuspects: Bool) -> (oldest: Request?, count: Int) {
        let line = ofSuspects ? apart : entries
        return (line.first?.request, line.count)
    }

    /// Returns the requests that wait only for a connection, neither for a key that is held nor as suspects:
    /// when the first began to wait, and how many there are. Nil if there are none.
    func ready(isHeld: (Int) -> Bool) -> (since: Nanoseconds, count: Int)? {
        var ready: (since: Nanoseconds, count: Int)?
        for entry in entries where entry.key == 0 || !isHeld(entry.key) {
            ready = (ready?.since ?? entry.since, (ready?.count ?? 0) + 1)
        }
        return ready
    }

    func count(key: Int) -> Int { entries.count { $0.key == key } }

    mutating func isSuspect(_ request: Request) -> Bool { suspects.contains(request) }

    /// Makes all requests with this statement wait apart.
    mutating func suspect(_ sql: String) {
        tries = 1
        guard suspects.insert(sql) else { return }
        let moved = remove { $0.statements.contains { $0.sql == sql } }
        apart += moved.map { Entry($0, key: Self.suspectKey) }
    }

    /// Removes and returns the suspects that have waited since before `instant`.
    mutating func removeSuspects(before instant: Nanoseconds) -> [Request] {
        let old = apart.filter { $0.request.enqueuedAt < instant }.map(\.request)
        if !old.isEmpty { apart.removeAll { $0.request.enqueuedAt < instant } }
        return old
    }

    mutating func append(_ request: Request) {
        if isSuspect(request) {
            apart.append(Entry(request, key: Self.suspectKey))
        } else {
            entries.append(Entry(request))
        }
    }

    mutating func putFirst(_ requests: [Request]) {
        var first = Queue()
        first.suspects = suspects
        for request in requests { first.append(request) }
        let now = Clock.now()
        for index in first.entries.indices { first.entries[index].since = now }
        entries.insert(contentsOf: first.entries, at: 0)
        apart.insert(contentsOf: first.apart, at: 0)
    }

    mutating func removeAll() -> [Request] { remove { _ in true } }

    /// Removes and returns the requests for which `isUnwanted` is true.
    mutating func remove(_ isUnwanted: (Request) -> Bool) -> [Request] {
        var removed: [Request] = []
        func remove(_ entry: Entry) -> Bool {
            guard isUnwanted(entry.request) else { return false }
            removed.append(entry.request)
            return true
        }
        entries.removeAll(where: remove)
        apart.removeAll(where: remove)
        return removed
    }

    /// Moves the oldest request whose key is not held to the group. Requests before it stay in place.
    mutating func takeOne(_ group: inout [Request], for connection: Connection, isHeld: (Int) -> Bool) {
        var index = 0
        while index < entries.count {
            let key = entries[index].key
            guard key == 0 || !isHeld(key) else {
                index += 1
                continue
            }
            let request = entries.remove(at: index).request
            guard request.take(for: connection) else { continue }
            return group.append(request)
        }
    }

    /// Moves the oldest suspects to the group, each to run on its own.
    mutating func takeSuspects(_ group: inout [Request], for connection: Connection) {
        while group.isEmpty, !apart.isEmpty {
            let tried = apart.prefix(tries).map(\.request)
            apart.removeFirst(tried.count)
            for request in tried where request.take(for: connection) {
                request.isIsolated = true
                group.append(request)
            }
        }
        tries = min(2 * tries, 16)
    }

    /// Moves the oldest requests to the group, as many as may share one.
    mutating func takeMany(_ group: inout [Request], for connection: Connection, lane: LaneSettings) {
        var taken = 0
        var room = lane.groupBytes
        for entry in entries {
            let request = entry.request
            let size = group.first?.isIsolated == true ? lane.isolatedSize : lane.groupSize
            if group.count == size || (!group.isEmpty && room <= 0) { break }
            if let first = group.first, first.isIsolated != request.isIsolated { break }
            taken += 1
            guard request.take(for: connection) else { continue }
            room -= request.statements.reduce(0) { $1.binds.reduce($0) { $0 + ($1.size ?? 0) } }
            group.append(request)
        }
        if taken == entries.count {
            entries.removeAll(keepingCapacity: true)
        } else {
            entries.removeFirst(taken)
        }
    }
}
