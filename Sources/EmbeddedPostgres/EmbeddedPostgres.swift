internal import Foundation

/// A PostgreSQL server of our own: a child that ends when this process does, however it does.
///
/// A small shell script stands between: it reads commands from a pipe, and when the pipe closes, as it
/// does even after SIGKILL, it stops the server and removes what was temporary. It ignores Ctrl-C, and
/// `pg_ctl` gives the server a session of its own, so this process can still drain over it.
public actor EmbeddedPostgres {
    private let supervisor: Supervisor
    private let socketDirectory: String
    private let port: Int

    private init(_ supervisor: Supervisor, socketDirectory: String, port: Int) {
        self.supervisor = supervisor
        self.socketDirectory = socketDirectory
        self.port = port
    }

    /// Starts a server on `directory`, which is made if it is new; nil makes a temporary one that is
    /// removed at the end.
    ///
    /// It is reached by a unix socket, and by TCP on localhost only where a `port` is given.
    ///
    /// Without `durable` it is faster and a crash of the machine loses its data. Throws `EmbeddedPostgresError`.
    public static func start(
        directory: String? = nil, durable: Bool = false, port: Int? = nil
    ) async throws -> EmbeddedPostgres {
        let temporary = try await Blocking.run { try Owner.ofServer.makeTemporaryDirectory() }
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
            if isNew { try await supervisor.command(durable ? "init" : "init -N") }
            let server = EmbeddedPostgres(supervisor, socketDirectory: temporary, port: port ?? 5432)
            try await server.start()
            return server
        } catch {
            try? FileManager.default.removeItem(atPath: temporary)
            throw error
        }
    }

    /// A libpq URL for `database` on this server.
    public nonisolated func url(database: String = "postgres") -> String {
        let name = database.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? database
        return "postgresql:///\(name)?host=\(socketDirectory)&port=\(port)&user=postgres"
    }

    /// Starts the server again after `stop` or `kill`, on the same data.
    public func start() async throws {
        try await supervisor.command("start")
    }

    /// Ends sessions, writes everything out and stops the server.
    ///
    /// Its data stays until `end`.
    public func stop() async throws {
        try await supervisor.command("fast")
    }

    /// Stops the server as a crash would.
    public func kill() async throws {
        try await supervisor.command("immediate")
    }

    /// Stops the server for good and removes what was temporary.
    ///
    /// Happens by itself when the process ends.
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

/// Why there is no server; the text says what to do.
public enum EmbeddedPostgresError: Error, CustomStringConvertible {
    case notInstalled
    case inUse(directory: String)
    case unreachable(directory: String, user: String)
    case failed(String)

    public var description: String {
        switch self {
        case .notInstalled:
            "PostgreSQL's server programs are not here: install postgresql (Debian) or postgresql@17 (Homebrew)"
        case .inUse(let directory): "another PostgreSQL server is using \(directory)"
        case .unreachable(let directory, let user):
            "PostgreSQL does not run as root, and user \(user) cannot write to \(directory): "
                + "choose a folder that it can reach, such as one under /var/tmp"
        case .failed(let output): "PostgreSQL did not start: \(output)"
        }
    }
}
