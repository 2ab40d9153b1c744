internal import Synchronization

/// A client of PostgreSQL that pipelines statements over a few connections.
///
/// It opens connections as needed and reopens broken ones. Close it when done: requests still open when the last
/// reference goes are dropped.
public final class Database: Sendable {
    /// The reads behind redirects and landing pages, and nothing else, so that no other lane delays a link.
    public let landings: Lane
    /// Indexed reads, which share groups.
    ///
    /// Its sessions are read-only, so a read whose connection broke runs again.
    public let read: Lane
    /// Reads of many rows, which also share groups, but not with `read`: there a list would delay the short reads
    /// behind it.
    public let lists: Lane
    /// Single writes and batches.
    public let write: Lane
    /// Walks of the graph for users.
    public let walks: Lane
    /// Reads and writes of very many rows: operators' calls and exports.
    public let bulk: Lane

    let sessions: Sessions
    /// Looks at silent server processes of other lanes.
    private let watch: Lane
    private let deadlines: Deadlines
    let configuration: Configuration

    /// Connects to nothing yet.
    ///
    /// Throws `unavailable` if the URL is invalid or the system gives no thread.
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
        guard deadlines.start() else {
            throw PostgresError.unavailable(reason: "the system gives no more threads")
        }
    }

    /// Its connection also ends soon if no answer comes: what breaks the others breaks it too.
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
    private var inboxes: [Inbox] { (lanes + [watch]).map(\.inbox) }

    private func stopTaking() {
        for inbox in inboxes { inbox.close() }
        sessions.close()
    }

    /// Counts of every lane, cheap enough to be read often.
    public var statistics: Statistics {
        Statistics(
            landings: landings.inbox.statistics, read: read.inbox.statistics,
            lists: lists.inbox.statistics, write: write.inbox.statistics, walks: walks.inbox.statistics,
            bulk: bulk.inbox.statistics, exclusive: sessions.statistics)
    }

    /// Returns once the database answers; throws if it does not.
    public func ping() async throws {
        _ = try await read.rows("SELECT 1")
    }

    /// Waits up to `drain` for running requests, then drops the rest.
    ///
    /// Later calls get `closed`.
    public func close() async {
        stopTaking()
        // In a separate task: if the caller's is cancelled, its sleeps return at once, a busy loop.
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
}
