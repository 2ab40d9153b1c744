import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Postgres
import TestSupport
import Testing

@testable import Events
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Web

/// The real application on a database of its own, called over HTTP.
struct TestApp: Sendable {
    static let origin = "https://join.example.com"

    let client: any TestClientProtocol
    let db: Database
    let app: App
    let hosts: HostResponder

    /// Signs ID tokens for any uid.
    static let key = Result {
        try DevelopmentKey(
            folder: FileManager.default.temporaryDirectory.appending(path: "kith-test-key-\(getpid())"))
    }

    static let quiet = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()

    /// Runs a test against the application. The database is a new one, which is dropped afterwards, unless
    /// `configure` names one.
    /// - Parameter setup: `.live` for a server on a real socket.
    static func run(
        configure: (inout Config) -> Void = { _ in },
        limits adjust: (inout Database.Configuration) -> Void = { _ in }, world: World = .live,
        logger: Logger = quiet, isForDevelopment: Bool = false,
        _ setup: TestingSetup = .router, _ test: @Sendable (TestApp) async throws -> Void
    ) async throws {
        var config = Config()
        config.auth = try key.get().config
        config.server.linkURL = origin
        config.rateLimits.isOn = false
        configure(&config)
        let url = config.database.url.isEmpty ? try await TestPostgres.shared.migratedDatabase() : nil
        config.database.url = url ?? config.database.url
        var limits = generousLimits(url: config.database.url)
        adjust(&limits)
        if !config.database.readURL.isEmpty { limits.standbys = config.database.driver.standbys }
        let db = try Database(limits)
        db.watchStandbys()
        let app = try App(
            config, db: db, world: world, logger: logger, isForDevelopment: isForDevelopment)
        let hosts = HostResponder(app)
        let application = Application(
            responder: NamedHosts(hosts: hosts),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            logger: logger)
        let outcome: Result<Void, any Error>
        do {
            try await application.test(setup) {
                // The server waits for its open streams.
                defer { app.events.close() }
                try await test(TestApp(client: $0, db: db, app: app, hosts: hosts))
            }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await db.close()
        // A thousand databases would be twenty gigabytes, which take minutes to delete.
        if let url { try await TestPostgres.shared.drop(url) }
        try outcome.get()
    }

    /// A test that sends thousands of calls, or runs beside forty others, must not count as overload.
    private static func generousLimits(url: String) -> Database.Configuration {
        var limits = Database.Configuration(url: url)
        limits.write.connections = 4
        for lane in [\Database.Configuration.landings, \.read, \.lists, \.write, \.walks, \.bulk] {
            limits[keyPath: lane].deadline = .seconds(30)
            limits[keyPath: lane].lockTimeout = .seconds(5)
            limits[keyPath: lane].waiting = 20_000
            limits[keyPath: lane].line = .seconds(30)
        }
        return limits
    }

    /// A response.
    struct Answer: Sendable {
        var status: Int
        var headers: HTTPFields
        var bytes: [UInt8]

        var text: String { String(decoding: bytes, as: UTF8.self) }

        var json: [String: Any] {
            ((try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]) ?? [:]
        }

        /// The value at a path like `invite.inviter.uid`, as text.
        subscript(path: String) -> String? {
            var value: Any? = json
            for key in path.split(separator: ".") {
                if let list = value as? [Any], let place = Int(key) {
                    value = place < list.count ? list[place] : nil
                } else {
                    value = (value as? [String: Any])?[String(key)]
                }
            }
            return value.flatMap { $0 is NSNull ? nil : "\($0)" }
        }

        var code: String? { self["code"] }
    }

    /// - Parameter uid: the caller, by an ID token; nil for none.
    func call(
        _ method: HTTPRequest.Method, _ path: String, as uid: String? = nil, headers: HTTPFields = [:],
        body: Body? = nil
    ) async throws -> Answer {
        var headers = headers
        if let uid {
            headers[.authorization] = "Bearer \(try await Self.key.get().sign(uid: uid, at: app.world.now()))"
        }
        if body != nil, headers[.contentType] == nil { headers[.contentType] = "application/json" }
        // Whoever names no browser counts as a program.
        if headers[.userAgent] == nil { headers[.userAgent] = "Mozilla/5.0 (Test)" }
        return try await client.execute(
            uri: path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0.json) }
        ) { response in
            Answer(
                status: response.status.code, headers: response.headers,
                bytes: Array(response.body.readableBytesView))
        }
    }

    func get(_ path: String, as uid: String? = nil, headers: HTTPFields = [:]) async throws -> Answer {
        try await call(.get, path, as: uid, headers: headers)
    }

    func post(_ path: String, as uid: String?, headers: HTTPFields = [:], _ body: Body = [:]) async throws
        -> Answer
    {
        try await call(.post, path, as: uid, headers: headers, body: body)
    }

    func put(_ path: String, as uid: String?, _ body: Body = [:]) async throws -> Answer {
        try await call(.put, path, as: uid, body: body)
    }
}

/// Data that a test needs before it begins.
extension TestApp {
    /// Signs up a user; by default the uid is `u-` and the username.
    @discardableResult
    func signUp(_ username: String, uid: String? = nil, invite: Body? = nil) async throws -> String {
        let uid = uid ?? "u-\(username)"
        let body: Body = invite.map { ["username": username, "invite": $0] } ?? ["username": username]
        let answer = try await post("/v1/signup", as: uid, body)
        try #require(answer.status == 201, "\(answer.text)")
        return uid
    }

    @discardableResult
    func rename(_ uid: String, to username: String, oldLinks: String = "forward") async throws -> Answer {
        try await put(
            "/v1/me/username", as: uid, ["username": username, "oldLinks": oldLinks])
    }

    func setStatus(_ status: String, of uid: String) async throws {
        let id = User.ID(of: User.UID(stored: uid))
        let accounts = AccountStore(db: db, limits: FriendLimits(), userData: App.userData)
        switch User.Status(rawValue: status) {
        case .suspended: try #require(try await accounts.suspend(id, reason: nil))
        case .active: try #require(try await accounts.restore(id))
        default: try await accounts.delete(id)
        }
    }

    /// Moves the whole history of a user's names back by `hours`.
    func age(_ uid: String, hours: Int) async throws {
        let id = User.ID(of: User.UID(stored: uid))
        try await db.write.batch([
            """
            UPDATE username_periods SET valid_from = tests.earlier(valid_from, \(Double(hours))),
                                        valid_to = tests.earlier(valid_to, \(Double(hours)))
            WHERE user_id = \(id)
            """,
            """
            UPDATE usernames SET held_until = tests.earlier(held_until, \(Double(hours)))
            WHERE user_id = \(id) AND state = 'held'
            """,
        ])
    }

    /// A link `/users/{username}?invitedBy={uid}`, as a body of the API.
    static func link(_ username: String, _ uid: String) -> Body {
        ["url": "\(origin)/users/\(username)?invitedBy=\(PercentEncoding.encode(uid))"]
    }

    func count(_ table: String) async throws -> Int {
        try await db.read.first(Statement(text: "SELECT count(*) FROM \(table)")) { try $0.next() }
            ?? -1
    }

    /// The contents of each table, for tests that nothing was written.
    func footprint() async throws -> [String: String] {
        var footprint: [String: String] = [:]
        for table in [
            "users", "signups", "usernames", "username_periods", "relationships", "invites", "invite_uses",
            "invites_by_owner", "acceptances", "dismissals",
        ] {
            footprint[table] =
                try await db.read.first(
                    Statement(
                        text:
                            "SELECT count(*) || ' ' || md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM \(table) t"
                    )
                ) { try $0.next(as: String?.self) } ?? nil
        }
        return footprint
    }
}

/// Lets a request name its host, which the client cannot set, in a header.
private struct NamedHosts: HTTPResponder {
    let hosts: HostResponder

    func respond(to request: Request, context: AppContext) async throws -> Response {
        guard let host = request.headers[.testHost] else {
            return try await hosts.respond(to: request, context: context)
        }
        var head = request.head
        head.authority = host
        return try await hosts.respond(to: Request(head: head, body: request.body), context: context)
    }
}

// A valid token.
// swift-format-ignore: NeverForceUnwrap
extension HTTPField.Name {
    static let testHost = HTTPField.Name("Test-Host")!
}
