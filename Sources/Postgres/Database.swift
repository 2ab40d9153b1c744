internal import Synchronization

/// A client of PostgreSQL that pipelines statements over a few connections.
///
/// It opens connections as needed and reopens broken ones. Close it when done: requests still open when the
/// last reference goes are dropped.
public final class Database: Sendable {
    /// The reads behind redirects and landing pages. Nothing else runs here, so that no other lane delays a
    /// link.
    public let landings: Lane
    /// Indexed reads, which share groups.
    ///
    /// Its sessions are read-only, so a read whose connection broke runs again.
    public let read: Lane
    /// Reads of many rows. They share groups too, but not with `read`, where a list would delay the short
    /// reads behind it.
    public let lists: Lane
    /// Single writes and batches.
    public let write: Lane
    /// Walks of the graph for users.
    public let walks: Lane
    /// Reads and writes of very many rows: operators' calls and exports.
    public let bulk: Lane

    let sessions: Sessions
    let standbys: Standbys?
    /// Looks at silent server processes of other lanes.
    private let watch: Lane
    private let spares = ConnectionBroker()
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
        var settings = LaneSettings(
            name: "", limits: configuration.read, sharing: .alone, configuration: configuration,
            hosts: hosts, onEvent: onEvent)
        settings.spares = spares
        let watch = Lane(settings.watching, .read, deadlines)
        self.watch = watch
        settings.watch = watch
        let reads = ReadLanes(settings, deadlines)
        standbys = try Self.standbys(configuration, deadlines, primary: reads.read, onEvent)
        landings = reads.landings.orStandbys(standbys, .landings)
        read = reads.read.orStandbys(standbys, .read)
        lists = reads.lists.orStandbys(standbys, .lists)
        walks = reads.walks.orStandbys(standbys, .walks)
        write = Lane(settings.named("write", configuration.write, .alone), .single, deadlines)
        bulk = Lane(settings.named("bulk", configuration.bulk, .alone), .single, deadlines)
        sessions = Sessions(settings.named("exclusive", configuration.exclusive, .session), deadlines)
        spares.add(needed: [landings, read].map(\.inbox), [bulk, walks, lists, write].map(\.inbox))
        guard deadlines.start() else {
            throw PostgresError.unavailable(reason: "the system gives no more threads")
        }
    }

    /// Begins to ask the standbys how far they are. Until then no read goes there.
    public func watchStandbys() {
        standbys?.start()
    }

    private static func standbys(
        _ configuration: Configuration, _ deadlines: Deadlines, primary: Lane,
        _ onEvent: @escaping @Sendable (Event) -> Void
    ) throws -> Standbys? {
        guard let standbys = configuration.standbys else { return nil }
        var ofStandby = configuration
        // Nobody waits for a standby that is away.
        (ofStandby.patience, ofStandby.grace) = (.zero, .zero)
        ofStandby.pooler = .none
        let all = try Hosts(url: standbys.url).each.map { host in
            Standby(
                LaneSettings(
                    name: "", limits: configuration.read, sharing: .alone, configuration: ofStandby,
                    hosts: host, onEvent: { _ in }), deadlines)
        }
        return Standbys(all, maxAge: standbys.maxAge, primary: primary, onEvent: onEvent)
    }

    deinit {
        stopTaking()
        deadlines.stop()
    }

    private var lanes: [Lane] { [landings, read, lists, write, walks, bulk] }
    private var inboxes: [Inbox] { (lanes + [watch]).map(\.inbox) + (standbys?.inboxes ?? []) }

    private func stopTaking() {
        spares.close()
        standbys?.close()
        for inbox in inboxes { inbox.close() }
        sessions.close()
    }

    /// Counts of every lane, cheap enough to be read often.
    public var statistics: Statistics {
        Statistics(
            landings: landings.inbox.statistics, read: read.inbox.statistics,
            lists: lists.inbox.statistics, write: write.inbox.statistics, walks: walks.inbox.statistics,
            bulk: bulk.inbox.statistics, exclusive: sessions.statistics, standbys: standbys?.statistics)
    }

    /// Opens one connection for links and one for other reads, before a growing lane can take what these
    /// need. Both stay open.
    public func connect() async throws {
        async let links = landings.ofPrimary.rows("SELECT 1")
        async let reads = read.ofPrimary.rows("SELECT 1")
        _ = try await (links, reads)
    }

    /// Returns once the database answers. Throws if it does not.
    public func ping() async throws {
        _ = try await read.rows("SELECT 1")
    }

    /// Waits up to `drain` for running requests, then drops the rest.
    ///
    /// Later calls get `closed`.
    public func close() async {
        stopTaking()
        // A separate task drains: if the caller's is cancelled, its sleeps return at once, which makes a busy
        // loop.
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
