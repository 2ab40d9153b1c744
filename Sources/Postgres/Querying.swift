/// Runs statements: a lane of the `Database`, or a `Session`.
public protocol Querying: Sendable {
    /// Runs one statement and returns all its rows.
    func rows(_ statement: Statement) async throws -> Rows
}

extension Querying {
    /// Returns all rows, each read by `read`, which takes the columns in their order: `{ try ($0.next(),
    /// $0.next()) }`.
    public func query<T>(_ statement: Statement, _ read: (inout Row) throws -> T) async throws -> [T] {
        try await rows(statement).map(read)
    }

    /// Returns the first row. Nil if there is none.
    public func first<T>(_ statement: Statement, _ read: (inout Row) throws -> T) async throws -> T? {
        try await rows(statement).first(read)
    }

    /// Runs a statement for its effect. Returns how many rows it changed.
    @discardableResult
    public func run(_ statement: Statement) async throws -> Int {
        try await rows(statement).affected
    }
}
