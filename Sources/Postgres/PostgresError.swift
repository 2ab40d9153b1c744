/// Everything that can go wrong between a caller and its rows, except its own cancellation.
public enum PostgresError: Error, Sendable {
    /// PostgreSQL refused a statement.
    case server(ServerError)
    /// A batch or transaction ended in a rollback without another error: nothing was written.
    case rolledBack
    /// The connection broke during the statement.
    ///
    /// With `mayHaveCommitted` only the data shows whether it took effect.
    case connectionLost(mayHaveCommitted: Bool)
    /// The deadline passed.
    ///
    /// Without `mayHaveCommitted` nothing was written.
    case timedOut(mayHaveCommitted: Bool)
    /// There is no connection: nothing was sent.
    ///
    /// The reason is for logs.
    case unavailable(reason: String)
    /// More requests wait in the lane than it can answer in time: nothing was sent.
    case overloaded
    /// The `Database` was closed: nothing was sent.
    case closed
    /// A column does not hold what the caller reads from it.
    case decoding(column: String, reason: String)

    /// PostgreSQL's report about a refused statement.
    public struct ServerError: Sendable {
        public var sqlState: String
        /// The server's message. It may contain values, so it is for logs only, unless our own SQL raised it.
        public var message: String
        public var detail: String?
        public var hint: String?
        /// The place of the error, as in `COPY people, line 17, column uid: "x"`. It may contain values.
        public var context: String?
        /// The index of the batch's statement, from 0. Nil if it was the `COMMIT`.
        public var statementIndex: Int?
    }

    public var sqlState: String? {
        if case .server(let refusal) = self { refusal.sqlState } else { nil }
    }

    /// Whether the server has no connection left for this role, by its own limit or that of the role or the
    /// database.
    public var lacksConnections: Bool {
        if case .unavailable(let reason) = self { Self.tellsLackOfConnections(reason) } else { false }
    }

    static func tellsLackOfConnections(_ reason: String) -> Bool { reason.contains(" 53300: ") }

    /// Whether the statement may have taken effect though the caller got an error.
    public var mayHaveCommitted: Bool {
        switch self {
        case .connectionLost(let may), .timedOut(let may): may
        default: false
        }
    }
}

extension PostgresError {
    static let noDescriptor = PostgresError.unavailable(reason: "the process has no descriptor left")
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The error without any value, so it may be shown to anyone.
    public var description: String {
        switch self {
        case .server(let refusal): "database error \(refusal.sqlState)"
        case .rolledBack: "database error: rolled back"
        case .connectionLost: "database connection lost"
        case .timedOut: "database timed out"
        case .unavailable: "database unavailable"
        case .overloaded: "database overloaded"
        case .closed: "database closed"
        case .decoding: "database error: unexpected result"
        }
    }

    /// All details of the error, including values. It is for logs.
    public var debugDescription: String {
        switch self {
        case .server(let refusal): "\(description): \(refusal)"
        case .connectionLost(let may), .timedOut(let may): "\(description) (may have committed: \(may))"
        case .unavailable(let reason): "\(description): \(reason)"
        case .decoding(let column, let reason): "\(description): column \(column): \(reason)"
        case .rolledBack, .overloaded, .closed: description
        }
    }
}
