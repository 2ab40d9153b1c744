internal import EmbeddedPostgres
internal import Foundation

/// A PgBouncer before the PostgreSQL of a URL.
public final class TestPooler: Sendable {
    /// Whether PgBouncer is installed.
    public static let isInstalled = program != nil
    /// Whether it keeps prepared statements of sessions that share connections by transaction, as from 1.21
    /// on.
    public static let keepsPrepared = version >= 1_021
    private static let program = [
        ProcessInfo.processInfo.environment["KITH_PGBOUNCER"] ?? "",
        "/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer",
    ].first(where: FileManager.default.isExecutableFile)

    /// 1_018 for 1.18.
    private static let version: Int = {
        guard let program else { return 0 }
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: program)
        process.arguments = ["--version"]
        process.standardOutput = output
        guard (try? process.run()) != nil else { return 0 }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitForExit()
        guard let found = text.firstMatch(of: /PgBouncer (\d+)\.(\d+)/), let major = Int(found.1),
            let minor = Int(found.2)
        else { return 0 }
        return major * 1000 + minor
    }()

    public let url: String
    private let process: Process
    private let folder: URL

    /// - Parameters:
    ///   - mode: `session` or `transaction`.
    ///   - size: how many connections to PostgreSQL the sessions share.
    ///   - prepared: how many prepared statements it keeps, if it can.
    public init(_ url: String, mode: String, size: Int = 3, prepared: Int = 0) throws {
        let port = try Loopback.freePorts(1)[0]
        folder = FileManager.default.temporaryDirectory.appending(path: "kith-pooler-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let server = url.firstMatch(of: /host=([^&]*)&port=(\d+)/)
        let settings = """
            [databases]
            * = host=\(server?.1 ?? "") port=\(server?.2 ?? "")
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            unix_socket_dir =
            auth_type = trust
            auth_file = \(folder.path)/users
            pool_mode = \(mode)
            max_client_conn = 200
            default_pool_size = \(size)
            client_login_timeout = 600
            query_wait_timeout = 600
            \(Self.keepsPrepared ? "max_prepared_statements = \(prepared)" : "")
            """
        try settings.write(to: folder.appending(path: "ini"), atomically: true, encoding: .utf8)
        try #""postgres" """#.write(to: folder.appending(path: "users"), atomically: true, encoding: .utf8)
        process = Process()
        let command = [Self.program ?? "pgbouncer", folder.appending(path: "ini").path]
        // It refuses root, and only the server's user may open its socket.
        let asServer = [
            "/usr/bin/setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups", "--",
        ]
        let words = geteuid() == 0 ? asServer + command : command
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.url = url.replacing(/host=[^&]*&port=\d+/, with: "host=127.0.0.1&port=\(port)")
    }

    public func end() {
        // It inherits this thread's mask, which may block SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        process.waitForExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
