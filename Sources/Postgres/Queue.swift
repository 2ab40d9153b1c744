/// The requests that wait in a lane, the oldest first.
///
/// Belongs to `Inbox`.
struct Queue {
    // The key stands beside the request so that a look for the next one that may run reads one array only.
    private struct Entry {
        let request: Request
        let key: Int
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }
    var oldest: Request? { entries.first?.request }

    func count(key: Int) -> Int { entries.count { $0.key == key } }

    mutating func append(_ request: Request) {
        entries.append(Entry(request: request, key: request.key))
    }

    mutating func putFirst(_ requests: [Request]) {
        entries.insert(contentsOf: requests.map { Entry(request: $0, key: $0.key) }, at: 0)
    }

    mutating func removeAll() -> [Request] {
        defer { entries.removeAll() }
        return entries.map(\.request)
    }

    /// Removes and returns those that `isUnwanted` says yes to.
    mutating func remove(_ isUnwanted: (Request) -> Bool) -> [Request] {
        var removed: [Request] = []
        entries.removeAll { entry in
            guard isUnwanted(entry.request) else { return false }
            removed.append(entry.request)
            return true
        }
        return removed
    }

    /// Moves the oldest one whose key is not held; those it passes over stay where they are.
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

    /// Moves the oldest ones, as many as may share a group.
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
