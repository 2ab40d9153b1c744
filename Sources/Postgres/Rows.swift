internal import CLibPQ

/// The rows that a statement returned.
///
/// They are decoded by their reader, not on the connection's thread.
// A PGresult never changes once it is here, so threads may share it.
public final class Rows: @unchecked Sendable {
    private let result: OpaquePointer

    public let count: Int
    let columns: Int

    /// Takes ownership of a `PGresult`, and clears it at the end.
    init(owning result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
        columns = Int(PQnfields(result))
    }

    deinit {
        PQclear(result)
    }

    public var isEmpty: Bool { count == 0 }

    /// How many rows the statement inserted, changed, deleted or returned.
    public var affected: Int {
        Int(String(cString: PQcmdTuples(result))) ?? 0
    }

    /// The server's command tag, such as `INSERT 0 1` or `COMMIT`.
    var tag: String {
        String(cString: PQcmdStatus(result))
    }

    public subscript(position: Int) -> Row {
        precondition(position >= 0 && position < count, "row \(position) of \(count)")
        return Row(rows: self, position: position)
    }

    /// Returns all rows, each read by `read`, which takes the columns in their order.
    @inlinable
    public func map<T>(_ read: (inout Row) throws -> T) rethrows -> [T] {
        var values: [T] = []
        values.reserveCapacity(count)
        for position in 0..<count {
            var row = self[position]
            values.append(try read(&row))
        }
        return values
    }

    /// Returns the first row. Nil if there is none.
    @inlinable
    public func first<T>(_ read: (inout Row) throws -> T) rethrows -> T? {
        guard !isEmpty else { return nil }
        var row = self[0]
        return try read(&row)
    }

    @usableFromInline
    func cell(row: Int, column: Int) throws -> Cell {
        let bytes = try bytes(row: row, column: column)
        let column = Int32(truncatingIfNeeded: column)
        return Cell(bytes: bytes, oid: PQftype(result, column), isBinary: PQfformat(result, column) == 1)
    }

    /// Returns a value's bytes. Nil for NULL.
    @usableFromInline
    func bytes(row: Int, column: Int) throws -> UnsafeRawBufferPointer? {
        guard column < columns else {
            throw PostgresError.decoding(column: "\(column + 1)", reason: "the result has \(columns) columns")
        }
        let (row, column) = (Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column))
        let length = Int(PQgetlength(result, row, column))
        // Only an empty value can be NULL, so most calls need no second look.
        if length == 0, PQgetisnull(result, row, column) == 1 { return nil }
        return UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: length)
    }

    @usableFromInline
    func failure(column: Int, expected: Any.Type, _ error: any Error) -> PostgresError {
        let name = PQfname(result, Int32(truncatingIfNeeded: column)).map { String(cString: $0) } ?? "?"
        guard let mismatch = error as? CellError else {
            return .decoding(column: name, reason: String(reflecting: error))
        }
        let found = mismatch.found.map { "type \($0)" } ?? "NULL"
        return .decoding(column: name, reason: "\(found) instead of \(expected)")
    }
}

/// One row, read column by column.
public struct Row {
    @usableFromInline let rows: Rows
    @usableFromInline let position: Int
    @usableFromInline var column = 0

    @usableFromInline
    init(rows: Rows, position: Int) {
        self.rows = rows
        self.position = position
    }

    /// Passes the next column's bytes to `read` without a copy, or nil for NULL.
    @inlinable
    public mutating func nextText<T>(_ read: (UnsafeRawBufferPointer?) throws -> T) throws -> T {
        let bytes = try rows.bytes(row: position, column: column)
        column += 1
        return try read(bytes)
    }

    /// Returns the next column's value. Throws `PostgresError.decoding`, which names the column, if it is not
    /// a `T`.
    @inlinable
    public mutating func next<T: PostgresDecodable>(as type: T.Type = T.self) throws -> T {
        let cell = try rows.cell(row: position, column: column)
        column += 1
        do {
            return try T(cell: cell)
        } catch {
            throw rows.failure(column: column - 1, expected: T.self, error)
        }
    }
}
