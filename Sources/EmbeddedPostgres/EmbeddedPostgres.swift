internal import Foundation

/// A PostgreSQL server that ends with this process, even if that is killed.
///
/// A small shell script runs it. It reads commands from a pipe. When the pipe closes, as it does even after
/// SIGKILL, it stops the server and removes temporary files. It ignores Ctrl-C, and `pg_ctl` gives the server
/// a session of its own, so this process can still use the database while it drains.
public actor EmbeddedPostgres {
    /// The folder of its data.
    public nonisolated let directory: String
    private let supervisor: Supervisor
    private let socketDirectory: String
    private let port: Int

    private init(_ supervisor: Supervisor, directory: String, socketDirectory: String, port: Int) {
        self.supervisor = supervisor
        self.directory = directory
        self.socketDirectory = socketDirectory
        self.port = port
    }

    /// Starts a server on `directory`, and creates that if it does not exist. Nil creates a temporary one,
    /// which is removed at the end.
    ///
    /// It listens on a unix socket and, if a `port` is given, on TCP on localhost.
    ///
    /// Without `durable` it is faster, and in memory if it is temporary, but a crash of the machine loses its
    /// data. Throws `EmbeddedPostgresError`.
    /// - Parameter primary: the server of which a new one is a standby. Nil for none.
    public static func start(
        directory: String? = nil, durable: Bool = false, port: Int? = nil,
        following primary: EmbeddedPostgres? = nil
    ) async throws -> EmbeddedPostgres {
        let temporary = try await Blocking.run {
            try Owner.ofServer.makeTemporaryDirectory(inMemory: directory == nil && !durable)
        }
        let data = directory ?? temporary + "/data"
        do {
            let (supervisor, isNew) = try await Blocking.run {
                let (binaries, owner) = (try Binaries.find(), Owner.ofServer)
                let isNew = try Cluster(data: data, binaries: binaries, owner: owner).prepare()
                let options = options(socketDirectory: temporary, durable: durable, port: port)
                let supervisor = try Supervisor(
                    owner: owner, binaries: binaries, data: data, options: options, temporary: temporary)
                return (supervisor, isNew)
            }
            let initialise = primary.map { "copy \($0.url())" } ?? (durable ? "init" : "init -N")
            if isNew { try await supervisor.command(initialise) }
            let server = EmbeddedPostgres(
                supervisor, directory: data, socketDirectory: temporary, port: port ?? 5432)
            try await server.start()
            return server
        } catch {
            try? FileManager.default.removeItem(atPath: temporary)
            throw error
        }
    }

    /// Returns a libpq URL for `database` on this server.
    public nonisolated func url(database: String = "postgres") -> String {
        let name = database.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? database
        return "postgresql:///\(name)?host=\(socketDirectory)&port=\(port)&user=postgres"
    }

    /// Starts the server again after `stop` or `kill`, on the same data.
    public func start() async throws {
        try await supervisor.command("start")
    }

    /// Ends sessions, writes everything to disk and stops the server.
    ///
    /// Its data stays until `end`.
    public func stop() async throws {
        try await supervisor.command("fast")
    }

    /// Stops the server as a crash would.
    public func kill() async throws {
        try await supervisor.command("immediate")
    }

    /// Stops the server for good and removes temporary files.
    ///
    /// The end of the process does the same.
    public func end() async {
        await supervisor.end()
    }

    private static func options(socketDirectory: String, durable: Bool, port: Int?) -> String {
        var settings = [
            "unix_socket_directories": socketDirectory, "unix_socket_permissions": "0700",
            "listen_addresses": port == nil ? "" : "localhost", "port": String(port ?? 5432),
            "max_connections": durable ? "100" : "400",
        ]
        if !durable {
            for name in ["fsync", "synchronous_commit", "full_page_writes"] { settings[name] = "off" }
        }
        return settings.sorted { $0.key < $1.key }.map { "-c \($0.key)='\($0.value)'" }.joined(separator: " ")
    }
}

/// Why there is no server. The text says what to do.
public enum EmbeddedPostgresError: Error, CustomStringConvertible {
    case notInstalled
    case inUse(directory: String)
    case unreachable(directory: String, user: String)
    case failed(String)

    public var description: String {
        switch self {
        case .notInstalled:
            "PostgreSQL's server programs are not installed: install postgresql (Debian) or postgresql@17 (Homebrew)"
        case .inUse(let directory): "another PostgreSQL server is using \(directory)"
        case .unreachable(let directory, let user):
            "PostgreSQL does not run as root, and user \(user) cannot write to \(directory): "
                + "choose a folder to which it can write, such as one under /var/tmp"
        case .failed(let output): "PostgreSQL did not start: \(output)"
        }
    }
}
