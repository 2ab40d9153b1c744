import Postgres
import Synchronization
import Web

/// Writes items in groups. Items that come while one group is written wait for the next, and share its
/// commit.
///
/// If the database refuses a group, its parts are written separately, so that a locked row, or an item that
/// cannot be written, costs the others little more than twice the limit for locks.
// The type is public because the compiler specializes only public generics for other targets.
public final class WriteQueue<Item: Sendable>: Sendable {
    private typealias Waiting = (item: Item, done: CheckedContinuation<Void, any Error>)

    private let key: @Sendable (Item) -> AnyHashable
    private let write: @Sendable ([Item]) async throws -> Void
    private let state = Mutex((waiting: [Waiting](), isWriting: false))
    private let mostAtOnce = 500
    private let mostWaiting = 2_000
    /// How many parts are written at the same time. Parts that wait for a lock hold their connections, so the
    /// number is less than half of the default number of connections for writes (`KITH_DATABASE_WRITERS`).
    private let mostParts = 3
    private let patience: Duration

    /// - Parameters:
    ///   - key: items with the same key are written, and fail, together. Two with different keys must share
    ///     no row.
    ///   - patience: how long parts are written separately. Parts that have not begun by then fail as their
    ///     group did.
    ///   - write: commits items, or throws and writes nothing.
    public init(
        key: @escaping @Sendable (Item) -> AnyHashable, patience: Duration = .milliseconds(500),
        write: @escaping @Sendable ([Item]) async throws -> Void
    ) {
        (self.key, self.patience, self.write) = (key, patience, write)
    }

    /// How many items wait behind the group that is written.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Adds an item and returns once it is committed. Throws `WriteQueueFull` at once if too many wait.
    /// Throws the error of the group before if the database is away or the table is locked.
    public func add(_ item: Item) async throws {
        try await withCheckedThrowingContinuation { done in
            let isFirst: Bool? = state.withLock { state in
                guard state.waiting.count < mostWaiting else { return nil }
                state.waiting.append((item, done))
                defer { state.isWriting = true }
                return !state.isWriting
            }
            guard let isFirst else { return done.resume(throwing: WriteQueueFull()) }
            if isFirst { Task { await writeAll() } }
        }
    }

    private func writeAll() async {
        while let group = nextGroup() {
            do {
                try await write(group.map(\.item))
                for waiting in group { waiting.done.resume() }
            } catch {
                let parts =
                    error.isOfAllWrites ? [group] : Array(Dictionary(grouping: group) { key($0.item) }.values)
                // The waiting items would meet the same error, one group after the other.
                if let outage = await writeApart(parts, after: error) { dropWaiting(outage) }
            }
        }
    }

    /// Writes the parts separately. Returns an error that all other items would meet too.
    /// - Parameter error: the error of all parts together.
    private func writeApart(_ parts: [[Waiting]], after error: any Error) async -> (any Error)? {
        guard parts.count > 1 else {
            for waiting in parts.joined() { waiting.done.resume(throwing: error) }
            return error.isOfAllWrites ? error : nil
        }
        let end = ContinuousClock.now + patience
        let most = min(mostParts, parts.count)
        var (rest, outages, isSomeOther, outage) = (parts.dropFirst(most), 0, false, (any Error)?.none)
        await withTaskGroup(of: (any Error)?.self) { tasks in
            for part in parts.prefix(most) { tasks.addTask { await self.write(part) } }
            var running = most
            for await error in tasks {
                running -= 1
                if let error, error.isOutage { outages += 1 } else { isSomeOther = true }
                // If this many parts fail, the table is locked, not single rows: only two parts can belong to
                // one act, such as a deletion.
                if let error, error.isOfAllWrites || !isSomeOther && outages == mostParts { outage = error }
                guard outage == nil, isSomeOther, ContinuousClock.now < end else { continue }
                while running < most, let part = rest.popFirst() {
                    running += 1
                    tasks.addTask { await self.write(part) }
                }
            }
        }
        for waiting in rest.joined() { waiting.done.resume(throwing: outage ?? error) }
        return outage
    }

    /// Writes a part. Returns the error that its callers got.
    private func write(_ part: [Waiting]) async -> (any Error)? {
        do {
            try await write(part.map(\.item))
            for waiting in part { waiting.done.resume() }
            return nil
        } catch {
            for waiting in part { waiting.done.resume(throwing: error) }
            return error
        }
    }

    private func dropWaiting(_ error: any Error) {
        let dropped = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiting in dropped { waiting.done.resume(throwing: error) }
    }

    /// Returns the next group. Nil if nothing waits; then the next item starts to write again.
    private func nextGroup() -> [Waiting]? {
        state.withLock { state in
            state.isWriting = !state.waiting.isEmpty
            guard state.isWriting else { return nil }
            let group = Array(state.waiting.prefix(mostAtOnce))
            state.waiting.removeFirst(group.count)
            return group
        }
    }
}

/// The error that too many items wait.
struct WriteQueueFull: Error {}

extension Error {
    fileprivate var isOutage: Bool { (self as? PostgresError)?.isOutage ?? false }

    /// Whether the group must not be written in parts: because no write can succeed now, or because this one
    /// may have been committed.
    fileprivate var isOfAllWrites: Bool {
        guard isOutage, case .server(let refusal)? = self as? PostgresError else { return isOutage }
        return switch refusal.sqlState {
        // A row is locked, or two transactions wait for each other.
        case "55P03", "40P01", "40001": false
        // A node of a cluster is away, but nothing was committed.
        case "XX000": refusal.statementIndex == nil
        default: true
        }
    }
}
