/// A place in PostgreSQL's write-ahead log. A server that has reached it has everything committed before the
/// place was asked for.
public struct WALPosition: Comparable, Sendable {
    /// The server's timeline, which each failover raises. Positions of a later timeline are later, and what
    /// only the former server wrote is lost.
    let timeline: Int64
    let byte: Int64

    public static func < (left: WALPosition, right: WALPosition) -> Bool {
        (left.timeline, left.byte) < (right.timeline, right.byte)
    }
}

/// A position as text for clients, which return it unread: `timeline-byte` in hexadecimal.
extension WALPosition: LosslessStringConvertible {
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let timeline = Int64(parts[0], radix: 16), timeline >= 0,
            let byte = Int64(parts[1], radix: 16), byte >= 0
        else { return nil }
        self.init(timeline: timeline, byte: byte)
    }

    public var description: String { "\(String(timeline, radix: 16))-\(String(byte, radix: 16))" }
}

/// What a primary says about itself.
struct PrimaryPosition: Sendable {
    /// The database cluster and the database, which are the same for all its standbys.
    let history: String
    let position: WALPosition

    // This is the insert position, since with synchronous_commit = off others see changes that are not yet
    // written. At the start of a page it lies behind the page's header, which a standby reaches only with the
    // next record.
    static let ask: Statement = """
        SELECT (SELECT system_identifier FROM pg_control_system()) || '/'
                   || (SELECT oid FROM pg_database WHERE datname = current_database()),
               ('x' || left(pg_walfile_name(at), 8))::bit(32)::int8,
               byte - CASE WHEN byte % page <= 40 THEN byte % page ELSE 0 END
        FROM (SELECT at, (at - '0/0')::int8 AS byte, current_setting('wal_block_size')::int8 AS page
              FROM (SELECT pg_current_wal_insert_lsn() AS at) AS wal) AS wal
        """

    init(_ row: inout Row) throws {
        history = try row.next()
        position = try WALPosition(timeline: row.next(), byte: row.next())
    }
}

/// What a standby says about itself.
struct StandbyPosition: Sendable {
    let history: String
    /// Whether it is still a standby. False once it was promoted.
    let isStandby: Bool
    /// When its server started. No other server has the same value.
    let server: String
    /// How far it has replayed. Nil if it replays no write-ahead log.
    let replayed: WALPosition?
    /// Whether other servers hold parts of the data. These replay logs of their own.
    let isCoordinator: Bool

    // No function tells the timeline of the replayed log, so after a failover it becomes known with a
    // restartpoint.
    static let ask: Statement = """
        SELECT (SELECT system_identifier FROM pg_control_system()) || '/'
                   || (SELECT oid FROM pg_database WHERE datname = current_database()),
               pg_is_in_recovery(), pg_postmaster_start_time()::text,
               greatest((SELECT timeline_id FROM pg_control_checkpoint()),
                        (SELECT min_recovery_end_timeline FROM pg_control_recovery()))::int8,
               (pg_last_wal_replay_lsn() - '0/0')::int8,
               EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
        """

    init(_ row: inout Row) throws {
        history = try row.next()
        isStandby = try row.next()
        server = try row.next()
        let timeline: Int64 = try row.next()
        replayed = try row.next(as: Int64?.self).map { WALPosition(timeline: timeline, byte: $0) }
        isCoordinator = try row.next()
    }

    /// Returns a statement that fails in a session with another server, since one name may lead to several.
    static func require(_ server: String) -> Statement {
        "SELECT 1 / (pg_postmaster_start_time()::text = \(server))::int"
    }
}
