extension Database {
    /// How to reach PostgreSQL, how many connections to hold and how long to wait.
    public struct Configuration: Sendable {
        /// A libpq URL or conninfo string; it may name several hosts and `target_session_attrs`.
        public var url: String
        /// Shown in `pg_stat_activity`, followed by the lane.
        public var applicationName = "kith"
        /// How long one host may take to answer a new connection.
        public var connectTimeout: Duration = .seconds(2)
        /// A caller waits this long for a database known to be down before it gets `unavailable`.
        public var patience: Duration = .seconds(1)
        /// A server silent for this long after a statement's deadline is taken for dead.
        public var grace: Duration = .seconds(3)
        /// A server silent for this long is looked at from another session, to see whether it waits for us; then
        /// twice as often.
        public var silence: Duration = .seconds(2)
        /// How long `close()` waits for what is under way.
        public var drain: Duration = .seconds(10)

        public var landings = Limits(connections: 4, deadline: .seconds(5), lockTimeout: .milliseconds(200))
        public var read = Limits(connections: 4, deadline: .seconds(5), lockTimeout: .milliseconds(200))
        public var lists = Limits(connections: 2, deadline: .seconds(5), lockTimeout: .milliseconds(200))
        /// The lock timeout is longer than PostgreSQL's `deadlock_timeout`, 1 s: a deadlock is found and sent again.
        public var write = Limits(
            connections: 4, deadline: .seconds(10), lockTimeout: .milliseconds(1500))
        public var walks = Limits(connections: 2, deadline: .seconds(5), lockTimeout: .milliseconds(200))
        public var bulk = Limits(connections: 2, deadline: .seconds(30), lockTimeout: .seconds(5))
        /// Transactions and sessions: `deadline` holds for each statement of a transaction and for the
        /// wait for a free connection.
        public var exclusive = Limits(connections: 4, deadline: .seconds(10), lockTimeout: .seconds(5))

        public init(url: String) {
            self.url = url
        }
    }

    /// What one lane may take.
    public struct Limits: Sendable {
        /// At most this many; they are opened as they are needed.
        ///
        /// Shared lanes use more than one only while that one waits for its server.
        public var connections: Int
        /// From the call to its answer.
        ///
        /// The server stops a statement one second later by itself.
        public var deadline: Duration
        /// The server's `lock_timeout`.
        public var lockTimeout: Duration
        /// The server's `idle_in_transaction_session_timeout`.
        public var idleInTransaction: Duration
        /// More than this many do not wait: they are refused at once.
        public var waiting: Int

        public init(
            connections: Int, deadline: Duration, lockTimeout: Duration,
            idleInTransaction: Duration = .seconds(5), waiting: Int = 2000
        ) {
            self.connections = connections
            self.deadline = deadline
            self.lockTimeout = lockTimeout
            self.idleInTransaction = idleInTransaction
            self.waiting = waiting
        }
    }

    /// Something an operator may want to read in a log.
    public enum Event: Sendable {
        case connected(lane: String)
        /// Of one that was connected; `reason` is nil where it was closed because all was done.
        case disconnected(lane: String, reason: String?)
        case connectFailed(lane: String, reason: String)
    }
}
