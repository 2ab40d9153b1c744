import ArgumentParser
import Console
import EmbeddedPostgres
import Foundation
import Kernel
import Kith
import Logging
import Operations
import Postgres
import Web

/// `kith dev`: runs Kith and a PostgreSQL of its own, with demo data, for a first look or for work on an app.
struct Dev: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract:
            "Run Kith on this machine, with its own PostgreSQL, demo data and a signing key.",
        discussion: """
            While it runs, the other commands use its database, keys, URL and demo app, but not its other settings, unless KITH_DATABASE_URL is set. The database's URL is in the file database-url of the folder (.kith, or KITH_DEV_FOLDER).
            """)

    @Flag(help: "Also make up a year of numbers, and what product people publish, to look at in the console.")
    var year = false

    func run() async throws {
        let folder = try DevFolder()
        var environment = ProcessInfo.processInfo.environment
        environment["KITH_LOG_FORMAT"] = environment["KITH_LOG_FORMAT"] ?? "text"
        let postgres = try await Self.postgres(in: folder, for: &environment)
        do {
            let url = postgres == nil ? nil : environment["KITH_DATABASE_URL"]
            try await serve(Environment(environment, dev: folder), in: folder, ownDatabase: url)
        } catch {
            await postgres?.end()
            guard let error = error as? MigrationError, let postgres else { throw error }
            throw Failure("\(error)\nkith: to start with an empty one: rm -r '\(postgres.directory)'")
        }
        await postgres?.end()
    }

    /// Starts a server in the folder, unless the environment names a database.
    private static func postgres(
        in folder: DevFolder, for environment: inout [String: String]
    ) async throws -> EmbeddedPostgres? {
        guard environment["KITH_DATABASE_URL"] == nil, environment["KITH_DATABASE_URL_FILE"] == nil else {
            return nil
        }
        let postgres = try await start(in: "\(folder.path)/postgres")
        let admin = try Database(Database.Configuration(url: postgres.url()))
        try await Migrator.createDatabase("kith", with: admin)
        await admin.close()
        environment["KITH_DATABASE_URL"] = postgres.url(database: "kith")
        return postgres
    }

    /// Starts PostgreSQL in the folder, or in one under /var/tmp if its user cannot use that folder: root
    /// runs it as another user, who may not read root's home.
    private static func start(in directory: String) async throws -> EmbeddedPostgres {
        do {
            try say("starting PostgreSQL in \(directory) …")
            return try await EmbeddedPostgres.start(directory: directory, durable: true)
        } catch EmbeddedPostgresError.unreachable {
            let other = "/var/tmp/kith\(directory.replacing("/", with: "-"))"
            try say("PostgreSQL's user cannot write to it: starting in \(other) …")
            return try await EmbeddedPostgres.start(directory: other, durable: true)
        }
    }

    /// - Parameter ownDatabase: the URL for other commands to find while this serves.
    private func serve(
        _ environment: Environment, in folder: DevFolder, ownDatabase: String?
    ) async throws {
        environment.warnOfUnknownSettings()
        let config = environment.config
        let (logger, db) = (environment.logger, try environment.databaseOfSettings())
        for migration in try await Migrator(db).migrate() { try say("applied \(migration.fileName)") }
        try await environment.requireZone(of: db)
        let app = try App(config, db: db, logger: logger, isForDevelopment: true)
        let token = try await folder.key().sign(uid: "demo-ken")
        if let ownDatabase {
            try folder.write(config.server.linkURL, to: .linkURL)
            try folder.write(config.console.url ?? "", to: .consoleURL)
            try folder.write(ownDatabase, to: .databaseURL)
        }
        defer { if ownDatabase != nil { folder.remove(DevFolder.RunningFile.allCases) } }
        // The demo is made once the server has the address, which the demo's links name.
        try await Server(app, logger: logger).run {
            do {
                let links = try await DemoData(app).make()
                try Self.greet(config, links, token: token, console: try await Self.signInLink(config, db))
                if year { try await Self.makeYear(app) }
            } catch {
                logger.error("the demo is not complete", metadata: ["error": "\(error)"])
            }
        }
        await db.close()
    }

    private static func makeYear(_ app: App) async throws {
        try say("Making up a year of numbers …")
        try say(
            try await DemoYear(app).make()
                ? "The console shows it."
                : "Something was published here before, so there is none: set KITH_DEV_FOLDER to a new folder."
        )
    }

    /// Returns a link with which whoever sees this terminal signs in at the console, once. Nil if there is
    /// none.
    private static func signInLink(_ config: Config, _ db: Database) async throws -> String? {
        guard let console = config.console.url, let email = EmailAddress("you@example.com") else {
            return nil
        }
        let people = PersonStore(db: db)
        if try await people.find(email) == nil {
            _ = try await people.set(email, roles: [.admin], by: .thisCommand, at: Date())
        }
        let link = try await people.makeLink(for: email, by: .thisCommand, world: .live)
        return link.secret.signInURL(at: console)
    }

    private static func greet(
        _ config: Config, _ links: [DemoData.Link], token: String, console: String?
    ) throws {
        let listen = config.server.listen
        let origin = listen.isEverywhere ? config.server.linkURL : "http://\(listen)"
        try say("\nKith is running at \(origin) — open:\n")
        for link in links { try say("  \(link.url)\n      \(link.shows)\n") }
        try say("  \(origin)/dev/devices\n      what each device gets that opens such a link\n")
        if let console {
            try say(
                """
                  \(console)
                      the console, signed in once; `kith person link you@example.com` prints another link
                """)
        }
        try say(
            """
            \(callAsKen(config, at: origin, token))

            Metrics and health: http://\(config.server.opsListen)/metrics
            The five-minute tour is in README.md. Press Ctrl-C to stop; the data is kept.

            """)
    }

    private static func callAsKen(_ config: Config, at origin: String, _ token: String) -> String {
        guard DevelopmentKey.isAccepted(by: config.auth) else {
            return """
                It takes the tokens of \(config.auth.issuer ?? "your provider"), since KITH_AUTH_… or KITH_FIREBASE_PROJECT is set, and \
                refuses those of `kith token`. Leave these settings out to call the API as one of the demo's users.
                """
        }
        return """
            Call the API as Ken, who joined by Hanako's link (other users: `kith token --uid U`):

              curl -H "Authorization: Bearer \(token)" \(origin)/v1/friends
            """
    }
}

/// `kith token`: prints an ID token that `kith dev` accepts.
struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print an ID token for a user, signed with the key of `kith dev`.")

    @Option(help: "The uid: any text of 1 to 128 characters.")
    var uid: String

    func validate() throws {
        guard DevelopmentKey.isUID(uid) else {
            throw ValidationError("--uid must be 1 to 128 characters, none of them for control")
        }
    }

    func run() async throws {
        guard DevelopmentKey.isThere(in: URL(filePath: DevFolder.named, directoryHint: .isDirectory)) else {
            throw Failure(
                "no `kith dev` runs or ran in \(DevFolder.named): run `kith dev`, or set KITH_DEV_FOLDER")
        }
        try say(await DevFolder().key().sign(uid: uid))
    }
}

/// The folder of `kith dev`, `.kith/` or that of `KITH_DEV_FOLDER`: data and keys.
struct DevFolder {
    let path: String

    /// The path of the folder, even if it does not exist.
    static var named: String {
        let name = ProcessInfo.processInfo.environment["KITH_DEV_FOLDER"] ?? ".kith"
        return URL(filePath: name, directoryHint: .isDirectory).path
    }

    init() throws {
        path = Self.named
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Returns the folder of the `kith dev` that runs, or was killed. Nil if the environment names another
    /// database.
    static func running(unless environment: [String: String]) -> DevFolder? {
        guard environment["KITH_DATABASE_URL"] == nil, environment["KITH_DATABASE_URL_FILE"] == nil,
            text(of: .databaseURL) != nil
        else { return nil }
        return try? DevFolder()
    }

    func key() throws -> DevelopmentKey {
        try DevelopmentKey(folder: URL(filePath: path, directoryHint: .isDirectory))
    }

    /// Sets what `kith dev` has, unless the environment does: an app to show on pages, links that a phone can
    /// open, a console, and webhooks to this machine.
    func addSettings(to environment: inout [String: String]) throws {
        Self.addDemoApp(to: &environment)
        if let listen = environment["KITH_LISTEN"].flatMap(HostPort.init), listen.isEverywhere,
            environment["KITH_LINK_URL"] == nil, let address = LocalNetwork.address
        {
            environment["KITH_LINK_URL"] = "http://\(HostPort(host: address, port: listen.port))"
        }
        if !environment.keys.contains(where: { $0.hasPrefix("KITH_CONSOLE_URL") }) {
            environment["KITH_CONSOLE_URL"] = Self.console(in: environment)
        }
        if !environment.keys.contains(where: { $0.hasPrefix("KITH_SECRETS_KEY") }) {
            environment["KITH_SECRETS_KEY"] = try secretsKey()
        }
        let reach = "KITH_WEBHOOK_PRIVATE_ADDRESSES"
        environment[reach] = environment[reach] ?? "allow"
    }

    /// Returns the origin of the console: another name of this machine than links have. Browsers take its
    /// cookie by http from there alone.
    private static func console(in environment: [String: String]) -> String {
        let listen = environment["KITH_LISTEN"].flatMap(HostPort.init) ?? ServerConfig().listen
        let links = environment["KITH_LINK_URL"] ?? "http://\(listen)"
        return "http://\(links.contains("//localhost") ? "127.0.0.1" : "localhost"):\(listen.port)"
    }

    /// Returns the secrets key. It is made only once, since secrets in the database are encrypted with it.
    private func secretsKey() throws -> String {
        let file = "\(path)/secrets-key"
        if let made = try? String(contentsOfFile: file, encoding: .utf8) { return made }
        let key = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
        try Self.write(key, to: file)
        return key
    }

    /// Writes a file that only this user may read.
    private static func write(_ text: String, to path: String) throws {
        try? FileManager.default.removeItem(atPath: path)
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { throw Failure("cannot write '\(path)'") }
    }

    /// Gives the pages an app to show, since without stores and a scheme they have no buttons. Settings of
    /// the environment win. If settings belong together, the environment must have all of them or none.
    private static func addDemoApp(to environment: inout [String: String]) {
        let given = environment.keys.map { $0.hasSuffix("_FILE") ? String($0.dropLast(5)) : $0 }
        for (settings, demo) in demoApp where !given.contains(where: settings.contains) {
            environment.merge(demo) { given, _ in given }
        }
    }

    private static let demoApp: [(settings: Set<String>, demo: [String: String])] =
        lone.map { ([$0.key], [$0.key: $0.value]) } + together.map { (Set($0.keys), $0) }

    private static let lone = [
        "KITH_APP_TAGLINE": "Friends by invitation",
        "KITH_APP_URL": "https://app.example.com/",
        "KITH_APP_SCHEME": "kithdemo",
        "KITH_IOS_MINIMUM": "16", "KITH_ANDROID_MINIMUM": "8",
        "KITH_OPERATOR_NAME": "Example Inc.",
        "KITH_PRIVACY_URL": "https://app.example.com/privacy",
        "KITH_REPORT_URL": "mailto:report@example.com",
    ]

    private static let together: [[String: String]] = [
        ["KITH_APP_STORE_ID": "", "KITH_APP_STORE_URL": "https://app.example.com/app-store"],
        ["KITH_IOS_TEAM_ID": "ABCDE12345", "KITH_IOS_BUNDLE_ID": "com.example.app"],
        [
            "KITH_ANDROID_PACKAGE": "com.example.app",
            "KITH_ANDROID_FINGERPRINTS": Array(repeating: "00", count: 32).joined(separator: ":"),
        ],
    ]

    /// A file in which other commands find what a running `kith dev` has.
    enum RunningFile: String, CaseIterable {
        case databaseURL = "database-url"
        case linkURL = "link-url"
        case consoleURL = "console-url"
    }

    /// Returns the text of a file. Nil if there is no such file.
    static func text(of file: RunningFile) -> String? {
        try? String(contentsOfFile: "\(named)/\(file.rawValue)", encoding: .utf8)
    }

    func write(_ text: String, to file: RunningFile) throws {
        try Self.write(text, to: "\(path)/\(file.rawValue)")
    }

    func remove(_ files: [RunningFile]) {
        for file in files { try? FileManager.default.removeItem(atPath: "\(path)/\(file.rawValue)") }
    }
}
