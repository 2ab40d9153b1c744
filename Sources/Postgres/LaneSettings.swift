/// What makes one lane differ from another.
struct LaneSettings: Sendable {
    /// How requests are put together.
    enum Sharing { case shared, alone, session }

    var name: String
    var limits: Database.Limits
    var sharing: Sharing
    var isReadOnly = false
    /// A shared connection whose server says nothing for so many milliseconds is helped by another one.
    var stuckAfter: Int32 = 2
    /// Run once on each new connection, after its settings.
    var greeting: @Sendable () -> [Statement] = { [] }
    var onNotification: @Sendable (Database.Notification) -> Void = { _ in }
    /// Over which a silent process of this lane is looked at.
    var watch: Lane?
    var configuration: Database.Configuration
    var hosts: Hosts
    var onEvent: @Sendable (Database.Event) -> Void

    var patience: Nanoseconds { min(configuration.patience.nanoseconds, Clock.never / 2) }
    /// A lane that has answered nobody for so long, while somebody waited, takes nobody more.
    var stall: Nanoseconds { limits.deadline.nanoseconds / 5 }
    var groupSize: Int { sharing == .shared ? 256 : 1 }
    /// Reads that run again, each with its own Sync: one that waits for a lock holds up few others.
    var isolatedSize: Int { min(groupSize, 4) }
    /// A group is closed once its values have filled this: libpq's buffers grow and never shrink.
    var groupBytes: Int { 1 << 20 }

    var applicationName: String { "\(configuration.applicationName) \(name)" }

    /// A peer that vanished without a word is noticed within seconds, not hours.
    var timeouts: [(String, String)] {
        [
            ("tcp_user_timeout", "4000"), ("keepalives_idle", "2"), ("keepalives_interval", "1"),
            ("keepalives_count", "2"),
        ]
    }

    /// The server's own bounds, so that nothing runs on for ever should this process vanish.
    ///
    /// Set by statements because PgBouncer refuses the connection option.
    var setup: [Statement] {
        let bounds = [
            "statement_timeout": limits.deadline + .seconds(1), "lock_timeout": limits.lockTimeout,
            "idle_in_transaction_session_timeout": limits.idleInTransaction,
        ]
        var statements: [Statement] = bounds.sorted { $0.key < $1.key }.map { name, bound in
            // 0 is none; so is more than the setting can hold.
            "SELECT set_config(\(name), \(String(bound.milliseconds < 1 << 31 ? bound.milliseconds : 0)), false)"
        }
        // The server's own way to notice a client whose machine is gone: a batch cut in the middle holds
        // its locks, and no other timeout runs while the server waits for the rest of a pipeline.
        let keepalives = [
            ("tcp_keepalives_idle", "2"), ("tcp_keepalives_interval", "1"), ("tcp_keepalives_count", "2"),
            ("tcp_user_timeout", "4000"),
        ]
        statements += keepalives.map { "SELECT set_config(\($0), \($1), false)" }
        // What is asked here is over before a compiler has begun; estimates say otherwise now and then.
        statements.append("SELECT set_config('jit', 'off', false)")
        statements.append(LaneSettings.fixed)
        if isReadOnly { statements.append("SET default_transaction_read_only = on") }
        statements.append(Backend.identify)
        return statements + greeting()
    }
}
