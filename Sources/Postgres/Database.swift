internal import Synchronization

/// PostgreSQL, reached over a few connections in which statements are pipelined.
///
/// Connections are opened as they are needed and opened again when they break. Close it when done; what
/// is still held when the last reference goes is dropped.
public final class Database: Sendable {
    /// The reads behind redirects and landing pages, and nothing else: what holds up another lane does not
    /// hold up a link.
    public let landings: Lane
    /// Indexed reads, which share groups.
    ///
    /// Its sessions are read-only, so what is lost is read again.
    public let read: Lane
    /// Reads of many rows, which share groups too, on a connection of their own.
    ///
    /// In the lane `read` a page would hold up all that is behind it.
    public let lists: Lane
    /// Single writes and batches.
    public let write: Lane
    /// Walks of the graph for users.
    public let walks: Lane
    /// What reads or writes very many rows: operators' calls and exports.
    public let bulk: Lane

    let sessions: Sessions
    let listener: Listener
    /// Looks at the processes of other lanes that say nothing.
    private let watch: Lane
    private let deadlines: Deadlines
    let configuration: Configuration

    /// Connects to nothing yet.
    ///
    /// Throws `unavailable` where the URL cannot be understood or the system gives no thread.
    public init(_ configuration: Configuration, onEvent: @escaping @Sendable (Event) -> Void = { _ in })
        throws
    {
        self.configuration = configuration
        let hosts = try Hosts(url: configuration.url)
        guard let deadlines = Deadlines() else { throw PostgresError.noDescriptor }
        self.deadlines = deadlines
        let watch = Self.watch(configuration, hosts, deadlines, onEvent)
        self.watch = watch
        func settings(_ name: String, _ limits: Limits, _ sharing: LaneSettings.Sharing) -> LaneSettings {
            LaneSettings(
                name: name, limits: limits, sharing: sharing, watch: watch, configuration: configuration,
                hosts: hosts, onEvent: onEvent)
        }
        func lane(_ settings: LaneSettings, _ kind: PipelineState.Member.Kind) -> Lane {
            Lane(inbox: Inbox(settings, deadlines), kind: kind, deadline: settings.limits.deadline)
        }
        func reading(_ name: String, _ limits: Limits, stuckAfter: Int32 = 2) -> Lane {
            var reading = settings(name, limits, .shared)
            reading.isReadOnly = true
            reading.stuckAfter = stuckAfter
            return lane(reading, .read)
        }
        landings = reading("landings", configuration.landings)
        read = reading("read", configuration.read)
        lists = reading("lists", configuration.lists, stuckAfter: 20)
        write = lane(settings("write", configuration.write, .alone), .single)
        walks = lane(settings("walks", configuration.walks, .alone), .single)
        bulk = lane(settings("bulk", configuration.bulk, .alone), .single)
        sessions = Sessions(settings("exclusive", configuration.exclusive, .session), deadlines)
        let one = Limits(connections: 1, deadline: .seconds(5), lockTimeout: .seconds(5))
        listener = Listener(settings("listen", one, .alone), deadlines)
        guard deadlines.start() else {
            throw PostgresError.unavailable(reason: "the system gives no more threads")
        }
    }

    /// Its connection is left soon, too, if nothing comes back: it goes the same way as the others.
    private static func watch(
        _ configuration: Configuration, _ hosts: Hosts, _ deadlines: Deadlines,
        _ onEvent: @escaping @Sendable (Event) -> Void
    ) -> Lane {
        let limits = Limits(connections: 1, deadline: .seconds(1), lockTimeout: .seconds(1))
        var settings = LaneSettings(
            name: "watch", limits: limits, sharing: .alone, configuration: configuration, hosts: hosts,
            onEvent: onEvent)
        settings.configuration.connectTimeout = min(configuration.connectTimeout, limits.deadline)
        settings.configuration.grace = .zero
        return Lane(inbox: Inbox(settings, deadlines), kind: .read, deadline: limits.deadline)
    }

    deinit {
        stopTaking()
        deadlines.stop()
    }

    private var lanes: [Lane] { [landings, read, lists, write, walks, bulk] }
    private var inboxes: [Inbox] { (lanes + [watch]).map(\.inbox) + [listener.inbox] }

    private func stopTaking() {
        for inbox in inboxes { inbox.close() }
        sessions.close()
        listener.close()
    }

    /// What every lane has done and is doing; cheap enough to be asked often.
    public var statistics: Statistics {
        Statistics(
            landings: landings.inbox.statistics, read: read.inbox.statistics,
            lists: lists.inbox.statistics, write: write.inbox.statistics, walks: walks.inbox.statistics,
            bulk: bulk.inbox.statistics, exclusive: sessions.statistics)
    }

    /// Returns once the database answers; throws why it does not.
    public func ping() async throws {
        _ = try await read.rows("SELECT 1")
    }

    /// Lets what is under way finish, for as long as `drain` says, and drops the rest.
    ///
    /// Later calls get `closed`.
    public func close() async {
        stopTaking()
        // In a task of its own: the caller's may be cancelled, and must not wait in a busy loop.
        await Task { await drain() }.value
        deadlines.stop()
    }

    private func drain() async {
        let end = Clock.after(configuration.drain)
        while !(inboxes.allSatisfy(\.isDrained) && sessions.isDrained) {
            if Clock.now() > end {
                for inbox in inboxes { inbox.abort() }
                sessions.abort()
            }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    public struct Notification: Sendable {
        public var channel: String
        public var payload: String
    }
}
