extension Database {
    /// How to reach PostgreSQL, how many connections to hold and how long to wait.
    public struct Configuration: Sendable {
        /// A libpq URL or conninfo string; it may name several hosts and `target_session_attrs`.
        public var url: String
        /// What stands between this process and the server.
        public var pooler = Pooler.none
        /// Standbys that may answer reads. Nil if only `url` is asked.
        public var standbys: StandbySettings?
        /// The name shown in `pg_stat_activity`, followed by the lane.
        public var applicationName = "kith"
        /// How long one host may take to answer a new connection.
        public var connectTimeout: Duration = .seconds(2)
        /// How long a caller waits for a database known to be down before it gets `unavailable`.
        public var patience: Duration = .seconds(1)
        /// How long after a statement's deadline a silent server counts as dead.
        public var grace: Duration = .seconds(3)
        /// How long a server may be silent before another session checks whether it waits for us. Later
        /// checks follow at half this interval.
        public var silence: Duration = .seconds(2)
        /// How long `close()` waits for running requests.
        public var drain: Duration = .seconds(10)

        public var landings = Limits(connections: 4, deadline: .seconds(5), lockTimeout: .milliseconds(200))
        public var read = Limits(connections: 4, deadline: .seconds(5), lockTimeout: .milliseconds(200))
        public var lists = Limits(connections: 2, deadline: .seconds(5), lockTimeout: .milliseconds(200))
        /// The lock timeout is longer than PostgreSQL's `deadlock_timeout`, 1 s, so that PostgreSQL finds
        /// deadlocks, and the lane retries them. The server sets the number: `KITH_DATABASE_WRITERS`.
        public var write = Limits(
            connections: 4, deadline: .seconds(10), lockTimeout: .milliseconds(1500))
        public var walks = Limits(connections: 2, deadline: .seconds(5), lockTimeout: .milliseconds(200))
        public var bulk = Limits(
            connections: 2, deadline: .seconds(30), lockTimeout: .seconds(5), line: .seconds(6))
        /// The limits of sessions. `deadline` is how long a caller waits for a free connection; their
        /// statements have none.
        public var exclusive = Limits(connections: 4, deadline: .seconds(10), lockTimeout: .zero)

        public init(url: String) {
            self.url = url
        }

        /// How many connections all lanes together hold while the server answers soon.
        public var usualConnections: Int {
            3 + write.connections + walks.connections + bulk.connections
        }

        /// How many connections all lanes together hold while the server is slow, with the one that looks at
        /// it.
        public var mostConnections: Int {
            1 + [landings, read, lists, write, walks, bulk].reduce(0) { $0 + $1.connections }
        }
    }

    /// Whether a pooler gives a session another server process for each transaction.
    public enum Pooler: String, Sendable {
        /// There is no pooler, or it keeps session and process together.
        case none
        /// The pooler changes the process, so each transaction brings its settings, and nothing is prepared.
        case transaction
        /// The pooler changes the process but keeps prepared statements, as PgBouncer from 1.21 on.
        case prepared
    }

    /// Standbys of the database.
    public struct StandbySettings: Sendable {
        /// A URL or conninfo string like `Configuration.url`. Each of its hosts is a standby.
        public var url: String
        /// The greatest age of data that any read may allow.
        public var maxAge: Duration

        public init(url: String, maxAge: Duration) {
            self.url = url
            self.maxAge = maxAge
        }
    }

    /// The limits of one lane.
    public struct Limits: Sendable {
        /// The most connections; the lane opens them as needed.
        ///
        /// A shared lane uses a second one only while the first waits for its server.
        public var connections: Int
        /// The most time from the call to its answer.
        ///
        /// The server itself stops a statement one second later.
        public var deadline: Duration
        /// The server's `lock_timeout`.
        public var lockTimeout: Duration
        /// The server's `idle_in_transaction_session_timeout`.
        public var idleInTransaction: Duration
        /// The most waiting requests; the lane refuses more at once.
        public var waiting: Int
        /// How long the line may be while no connection is free: how long the first in it has waited, or how
        /// long all in it will take at the lane's pace. The lane refuses new requests that would make it
        /// longer.
        public var line: Duration

        public init(
            connections: Int, deadline: Duration, lockTimeout: Duration,
            idleInTransaction: Duration = .seconds(5), waiting: Int = 2000, line: Duration = .seconds(1)
        ) {
            self.connections = connections
            self.deadline = deadline
            self.lockTimeout = lockTimeout
            self.idleInTransaction = idleInTransaction
            self.waiting = waiting
            self.line = line
        }
    }

    /// An event to log for the operator.
    public enum Event: Sendable {
        case connected(lane: String)
        /// An open connection ended. `reason` is nil if it was closed because nothing was left to do.
        case disconnected(lane: String, reason: String?)
        case connectFailed(lane: String, reason: String)
        /// Reads may go to this standby, or none goes there because of its trouble.
        case standby(name: String, trouble: String?)
    }
}
