internal import CLibPQ

/// Reads an error out of libpq's result.
extension PostgresError.ServerError {
    /// Nil if the error is libpq's own, because the connection is broken.
    init?(_ result: OpaquePointer) {
        func field(_ code: Int32) -> String? {
            PQresultErrorField(result, code).map { String(cString: $0) }
        }
        guard let state = field(FieldCode.sqlState) else { return nil }
        sqlState = state
        message = field(FieldCode.message) ?? ""
        detail = field(FieldCode.detail)
        hint = field(FieldCode.hint)
        context = field(FieldCode.context)
        if state == "42P05" || state == "26000" {
            hint =
                "A prepared statement is missing or not ours, as behind a pooler with pool_mode = transaction."
        }
    }

    /// Whether the statement waited for a lock in vain or did not end in time. False if its caller left
    /// before.
    func isTimeout(of request: Request) -> Bool {
        sqlState == "55P03" || (sqlState == "57014" && Clock.now() >= request.deadline)
    }

    /// Whether the result is the error with which the server ended the session.
    static func endsSession(_ result: OpaquePointer) -> Bool {
        guard let severity = PQresultErrorField(result, FieldCode.severity) else { return false }
        return ["FATAL", "PANIC"].contains(String(cString: severity))
    }

    /// Whether a table changed since the statement was prepared, so that it must be prepared again. The error
    /// is "cached plan must not change result type", or it names the type of a field in a row that a function
    /// returns: PostgreSQL does not make a plan depend on that. Only the function in the server's source
    /// identifies these errors.
    func isStalePlan(_ result: OpaquePointer) -> Bool {
        guard let function = PQresultErrorField(result, FieldCode.function) else { return false }
        return switch sqlState {
        case "0A000": String(cString: function) == "RevalidateCachedQuery"
        case "42804": String(cString: function) == "ExecEvalFieldSelect"
        default: false
        }
    }
}

/// The `PG_DIAG_…` macros of `postgres_ext.h`, which Swift cannot import.
private enum FieldCode {
    static let severity = code("V")
    static let sqlState = code("C")
    static let message = code("M")
    static let detail = code("D")
    static let hint = code("H")
    static let context = code("W")
    static let function = code("R")

    private static func code(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }
}
