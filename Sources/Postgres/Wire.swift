internal import CLibPQ
internal import Synchronization

/// libpq's calls on one connection.
///
/// None of them waits for the server, but connecting waits for the resolver if the URL names a host. A wire
/// belongs to one thread.
final class Wire {
    enum Progress { case reading, writing, ready, failed }
    enum Incoming {
        case nothing, end
        case result(OpaquePointer)
    }

    private let connection: OpaquePointer
    private let parameters = ParameterBuffer()

    /// Begins to connect. Nil if libpq has no memory.
    init?(_ settings: [(String, String)]) {
        var keywords: [UnsafePointer<CChar>?] = settings.map { UnsafePointer(copy(of: $0.0)) } + [nil]
        var values: [UnsafePointer<CChar>?] = settings.map { UnsafePointer(copy(of: $0.1)) } + [nil]
        defer { for string in keywords + values { string?.deallocate() } }
        guard let connection = PQconnectStartParams(&keywords, &values, 1) else { return nil }
        self.connection = connection
        PQsetNoticeReceiver(connection, { _, _ in }, nil)
        // Verbose errors are the only way to learn the SQLSTATE of a refused connection: `FATAL:  53300:
        // sorry, …`.
        PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
    }

    deinit {
        PQfinish(connection)
    }

    var socket: Int32 { PQsocket(connection) }
    var isBroken: Bool { PQstatus(connection) == CONNECTION_BAD }
    /// The host being tried, with its address, since one name may have several.
    var host: String {
        [PQhost(connection), PQhostaddr(connection)].compactMap { $0.map { String(cString: $0) } }
            .filter { !$0.isEmpty }.joined(separator: " ")
    }
    var backendPID: Int32 { PQbackendPID(connection) }

    var problem: String {
        let lines = String(cString: PQerrorMessage(connection)).split(separator: "\n")
        return lines.filter { !$0.hasPrefix("LOCATION: ") }.joined(separator: "; ")
    }

    func pollConnect() -> Progress {
        if isBroken { return .failed }
        switch PQconnectPoll(connection) {
        case PGRES_POLLING_READING: return .reading
        case PGRES_POLLING_WRITING: return .writing
        case PGRES_POLLING_OK:
            return PQsetnonblocking(connection, 1) == 0 && enterPipeline() ? .ready : .failed
        default: return .failed
        }
    }

    func enterPipeline() -> Bool { PQenterPipelineMode(connection) == 1 }
    func exitPipeline() -> Bool { PQexitPipelineMode(connection) == 1 }

    func send(prepare name: String, _ statement: Statement) -> Bool {
        let oids = statement.binds.map(\.oid)
        return PQsendPrepare(connection, name, statement.sql, Int32(oids.count), oids) == 1
    }

    func send(run name: String, _ statement: Statement) -> Bool {
        parameters.fill(statement.binds)
        return PQsendQueryPrepared(
            connection, name, Int32(statement.binds.count), parameters.values, parameters.lengths,
            parameters.formats, 1) == 1
    }

    func send(unnamed statement: Statement) -> Bool {
        parameters.fill(statement.binds)
        return PQsendQueryParams(
            connection, statement.sql, Int32(statement.binds.count), statement.binds.map(\.oid),
            parameters.values, parameters.lengths, parameters.formats, 1) == 1
    }

    /// Sends several statements in one text by the simple protocol, outside of pipeline mode.
    func send(script: String) -> Bool { PQsendQuery(connection, script) == 1 }

    /// Sends data of a COPY. libpq buffers it without limit, so flush before the next chunk.
    func send(copy bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return true }
            return PQputCopyData(connection, start, Int32(bytes.count)) == 1
        }
    }

    /// - Parameter reason: why the server must refuse the data. Nil if it is complete.
    func endCopy(refusing reason: String?) -> Bool { PQputCopyEnd(connection, reason) == 1 }

    func sendSync() -> Bool { PQpipelineSync(connection) == 1 }

    /// Sends what is left. True if nothing is left to send. Nil if the connection is broken.
    func flush() -> Bool? {
        switch PQflush(connection) {
        case 0: true
        case 1: false
        default: nil
        }
    }

    /// Reads what the socket has. False if the connection is broken.
    func consume() -> Bool { PQconsumeInput(connection) == 1 }

    /// Takes the next of the answers that were read. On a broken connection it takes only the error that
    /// ended it.
    // When a connection breaks, libpq forgets what it asked. Rows that it had read but not yet parsed then
    // count as the answer to a Describe: it returns a success without rows.
    func receive() -> Incoming {
        while PQisBusy(connection) == 0 {
            guard let result = PQgetResult(connection) else { return .end }
            if !isBroken || PostgresError.ServerError.endsSession(result) { return .result(result) }
            PQclear(result)
        }
        return .nothing
    }

    /// The state of the transaction. Nil while libpq does not know it, because more answers are coming.
    var transaction: PipelineState.Transaction? {
        switch PQtransactionStatus(connection) {
        case PQTRANS_IDLE: .idle
        case PQTRANS_INTRANS: .open
        case PQTRANS_INERROR: .failed
        default: nil
        }
    }

    /// Returns a request to stop the running statement, which may be sent from another thread.
    func makeCancel() -> Cancel? {
        PQgetCancel(connection).map(Cancel.init)
    }
}

// A PGcancel is a copy of what the cancel needs; libpq documents it as safe to use from any thread.
final class Cancel: @unchecked Sendable {
    private let cancel: OpaquePointer
    private let isBack = Atomic<Bool>(false)

    var hasReturned: Bool { isBack.load(ordering: .acquiring) }

    init(_ cancel: OpaquePointer) { self.cancel = cancel }

    deinit { PQfreeCancel(cancel) }

    /// Blocks until the server has taken the request.
    func send() {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            _ = PQcancel(cancel, buffer.baseAddress, 256)
        }
        isBack.store(true, ordering: .releasing)
    }
}

private func copy(of string: String) -> UnsafeMutablePointer<CChar> {
    let bytes = string.utf8CString
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    copy.initialize(from: Array(bytes), count: bytes.count)
    return copy
}
