/// Everything that can go wrong between a caller and its rows, except its own cancellation.
public enum PostgresError: Error, Sendable {
    /// PostgreSQL refused a statement.
    case server(ServerError)
    /// A batch or transaction ended in a rollback though nothing else had failed it: nothing was written.
    case rolledBack
    /// The connection broke under the statement.
    ///
    /// With `mayHaveCommitted` only a look at the data tells.
    case connectionLost(mayHaveCommitted: Bool)
    /// The deadline passed.
    ///
    /// Without `mayHaveCommitted` nothing was written.
    case timedOut(mayHaveCommitted: Bool)
    /// No connection could be had: nothing was sent.
    ///
    /// The reason is for logs.
    case unavailable(reason: String)
    /// More wait in the lane than it can answer in time: nothing was sent.
    case overloaded
    /// The `Database` was closed: nothing was sent.
    case closed
    /// A column does not hold what the caller reads from it.
    case decoding(column: String, reason: String)

    /// What PostgreSQL says of a statement it refuses.
    public struct ServerError: Sendable {
        public var sqlState: String
        /// The server's words: may hold values, so for logs only, unless our own SQL raised it.
        public var message: String
        public var detail: String?
        public var hint: String?
        /// Where it happened, as in `COPY people, line 17, column uid: \"x\"`: may hold values.
        public var context: String?
        /// The violated constraint's name.
        public var constraint: String?
        /// Which statement of a batch it was, from 0; nil where it was the `COMMIT`.
        public var statementIndex: Int?
    }

    public var sqlState: String? {
        if case .server(let refusal) = self { refusal.sqlState } else { nil }
    }

    public var constraint: String? {
        if case .server(let refusal) = self { refusal.constraint } else { nil }
    }

    /// True where the statement may have taken effect though the caller got an error.
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
    /// Never holds a value, so it may be shown to anyone.
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

    /// All there is, values included: for logs.
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
