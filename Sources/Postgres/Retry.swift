/// How often and when a request is sent again that the server refused only because of others.
enum Retry {
    static let most = 5

    /// Returns a random pause, so that two requests that met do not meet again.
    static func pause() -> Duration { .milliseconds(Int64.random(in: 5...80)) }
}

extension PostgresError.ServerError {
    /// Whether a retry may succeed: after a deadlock, a serialization failure, or the move of a Citus shard
    /// (its own code).
    var mayPass: Bool { ["40001", "40P01", "CIINF"].contains(sqlState) }
}
