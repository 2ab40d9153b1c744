/// What makes one lane differ from another.
struct LaneSettings: Sendable {
    /// How requests are grouped: many at a time, one at a time, or as one caller's session.
    enum Sharing { case shared, alone, session }

    var name: String
    var limits: Database.Limits
    var sharing: Sharing
    var isReadOnly = false
    /// How many milliseconds a server may be silent before another shared connection takes the waiting
    /// requests.
    var stuckAfter: Int32 = 2
    /// The lane over which to look at a silent process of this one.
    var watch: Lane?
    /// The lanes that may give up a connection for this one.
    var spares: ConnectionBroker?
    var configuration: Database.Configuration
    var hosts: Hosts
    /// The only server whose sessions are of use, by `StandbyPosition.server`. Nil if any server is.
    var server: String?
    var onEvent: @Sendable (Database.Event) -> Void

    /// Returns these settings for another lane.
    func named(_ name: String, _ limits: Database.Limits, _ sharing: Sharing) -> LaneSettings {
        var settings = self
        (settings.name, settings.limits, settings.sharing) = (name, limits, sharing)
        return settings
    }

    /// These settings for a lane that looks at servers.
    ///
    /// Its connection ends soon if no answer comes: what breaks the other connections breaks it too.
    var watching: LaneSettings {
        let limits = Database.Limits(connections: 1, deadline: .seconds(1), lockTimeout: .seconds(1))
        var settings = named("watch", limits, .alone)
        settings.watch = nil
        settings.configuration.connectTimeout = min(configuration.connectTimeout, limits.deadline)
        settings.configuration.grace = .zero
        return settings
    }

    var patience: Nanoseconds { min(configuration.patience.nanoseconds, Clock.never / 2) }
    var groupSize: Int { sharing == .shared ? 256 : 1 }
    /// How many reads run again in one group, each with its own Sync. The number is small, so that a read
    /// that waits for a lock delays few others.
    var isolatedSize: Int { min(groupSize, 4) }
    /// A group takes no more once its values fill this many bytes: libpq's buffers grow and never shrink.
    var groupBytes: Int { 1 << 20 }

    /// The name shown in `pg_stat_activity`. Behind a pooler it is the same for all lanes, because the pooler
    /// would change it at the server whenever another lane gets the process.
    var applicationName: String {
        isPooled ? configuration.applicationName : "\(configuration.applicationName) \(name)"
    }

    /// Whether settings and statements of a session end with the transaction.
    var isPooled: Bool { configuration.pooler != .none }

    /// Libpq's settings to notice within seconds, not hours, that the server's machine is gone.
    var timeouts: [(String, String)] {
        [
            ("tcp_user_timeout", "4000"), ("keepalives_idle", "2"), ("keepalives_interval", "1"),
            ("keepalives_count", "2"),
        ]
    }

    /// The statements that prepare a session. Empty if each transaction brings its settings.
    ///
    /// They are statements because PgBouncer refuses the connection option.
    var setup: [Statement] {
        if isPooled { return [] }
        // The server uses these to notice that the client's machine is gone. A batch cut in the middle holds
        // its locks, and no other timeout runs while the server waits for the rest of a pipeline.
        let keepalives = [
            ("tcp_keepalives_idle", "2"), ("tcp_keepalives_interval", "1"), ("tcp_keepalives_count", "2"),
            ("tcp_user_timeout", "4000"),
        ]
        var statements = [Self.set(bounds + keepalives + planning + Self.fixed, inTransaction: false)]
        if sharing != .session { statements.append(Self.planOnce) }
        statements.append("SET default_transaction_isolation = 'read committed'")
        if isReadOnly { statements.append("SET default_transaction_read_only = on") }
        statements.append(Backend.identify)
        if let server { statements.append(StandbyPosition.require(server)) }
        return statements
    }

    /// The statement that goes first in each transaction if a pooler may give it any process.
    // The isolation level cannot be set here: this statement already has a snapshot.
    var preface: Statement? {
        guard isPooled, sharing != .session else { return nil }
        let readOnly = isReadOnly ? [("transaction_read_only", "on")] : []
        return Self.set(bounds + planning + Self.fixed + readOnly, inTransaction: true)
    }

    /// Settings that keep plans on indexes. A plan made while a table was small may scan it, and a session
    /// keeps that plan until the table is analyzed, for a minute or more. On Citus only the coordinator plans
    /// so.
    ///
    /// Nothing is compiled: to the planner, a scan of a small table without an index then looks worth it.
    private var planning: [(String, String)] {
        sharing == .session ? [] : [("enable_seqscan", "off"), ("jit", "off")]
    }

    /// Plans each prepared statement once. Otherwise PostgreSQL would plan one with an array anew each time:
    /// its general plan assumes ten elements, so for an array of one element a plan for the given values
    /// looks cheaper. It is not used on Citus, which cannot plan a statement over several shards without its
    /// values.
    private static let planOnce: Statement = """
        SELECT set_config('plan_cache_mode', 'force_generic_plan', false)
        WHERE to_regclass('pg_catalog.pg_dist_partition') IS NULL
        """

    /// The server's own limits, so that nothing runs forever if this process vanishes.
    private var bounds: [(String, String)] {
        let bounds = [
            ("statement_timeout", limits.deadline + .seconds(1)), ("lock_timeout", limits.lockTimeout),
            ("idle_in_transaction_session_timeout", limits.idleInTransaction),
        ]
        // 0 is no limit; a limit beyond the setting's range becomes none.
        return bounds.map { name, bound in
            (name, String(bound.milliseconds < 1 << 31 ? bound.milliseconds : 0))
        }
    }
}
