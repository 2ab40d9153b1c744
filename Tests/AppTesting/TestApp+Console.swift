import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Postgres
import Synchronization
import Testing

@testable import Console
@testable import Kernel
@testable import Kith
@testable import Web

/// A clock that a test moves.
final class MovedClock: Sendable {
    private let time: Mutex<Date>

    init(_ start: Date = Date()) { time = Mutex(start) }

    var now: Date { time.withLock { $0 } }
    func pass(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }

    var world: World {
        var world = World.live
        world.now = { self.now }
        return world
    }
}

/// People at the console.
extension TestApp {
    static let console = "https://console.example.com"

    static func withConsole(_ config: inout Config) { config.console.url = console }

    /// What a browser sends from a page of the console.
    /// - Parameter origin: nil for a browser that was told a URL, or followed a link.
    func browser(_ cookies: String? = nil, origin: String? = console) -> HTTPFields {
        var headers: HTTPFields = [.testHost: "console.example.com", .accept: "text/html"]
        headers[.cookie] = cookies
        headers[.origin] = origin
        return headers
    }

    func add(_ email: String, _ roles: Set<Role>) async throws {
        _ = try await PersonStore(db: db).set(
            try #require(EmailAddress(email)), roles: roles, by: .thisCommand, at: app.world.now())
    }

    /// Adds a person, and returns the path of a link with which they sign in once.
    func link(_ email: String, _ roles: Set<Role>? = [.viewer]) async throws -> String {
        if let roles { try await add(email, roles) }
        let link = try await PersonStore(db: db).makeLink(
            for: try #require(EmailAddress(email)), by: .thisCommand, world: app.world)
        return "/sign-in/\(link.secret.text)"
    }

    /// Signs a person in. Returns what their browser then sends.
    func signIn(_ email: String, _ roles: Set<Role>) async throws -> HTTPFields {
        let answer = try await post(try await link(email, roles), as: nil, headers: browser())
        try #require(answer.status == 303, "\(answer.text)")
        let cookie: String = try #require(answer.cookie())
        return browser(cookie)
    }

    /// Whether a browser's session is in force.
    func isSignedIn(_ browser: HTTPFields) async throws -> Bool {
        let answer = try await get("/v1/admin/me", headers: browser)
        #expect([200, 401].contains(answer.status), "\(answer.text)")
        return answer.status == 200
    }

    /// The acts of the audit, oldest first: `sign_in by person:ann@example.com: link`.
    func signIns() async throws -> [String] {
        try await db.read.query(
            """
            SELECT act || ' by ' || actor || ': ' || coalesce(details::json ->> 'method', details::json ->> 'why', '')
            FROM audit WHERE act LIKE 'sign_in%' ORDER BY at, id
            """
        ) { try $0.next() }
    }
}

extension TestApp.Answer {
    /// `name=value` of a cookie that the answer sets.
    func cookie(_ name: String = ConsoleDoor.cookieName) -> String? {
        headers[values: .setCookie].first { $0.hasPrefix("\(name)=") }
            .map { String($0.prefix { $0 != ";" }) }
    }
}

/// Forms of the console's pages.
extension TestApp {
    /// Sends the form of an act, as a browser does that shows the page: with what stands in its fields.
    func submit(
        _ path: String, _ act: String, _ entries: [String: String], as session: HTTPFields,
        leavingOut missing: Set<String> = []
    ) async throws -> Answer {
        let page = try await get(path, headers: session).text
        var all = try self.entries(of: act, in: page)
        all.merge(entries) { _, new in new }
        // As the script does once a person has said that they mean it.
        if all["question"] != nil { all["confirmed"] = "yes" }
        return try await send(path, all.filter { !missing.contains($0.key) }, as: session)
    }

    /// Returns what a browser would send of the form of an act, by names: what stands in it.
    func entries(of act: String, in page: String) throws -> [String: String] {
        let forms = page.components(separatedBy: "<form ").dropFirst().map {
            $0.components(separatedBy: "</form>")[0]
        }
        let form = try #require(
            forms.first { $0.contains("name=\"act\" value=\"\(act)\"") }, "no form \(act): \(page)")
        let hidden = form.matches(of: /type="hidden" name="([^"]*)" value="([^"]*)"/).map { ($0.1, $0.2) }
        let inputs = form.matches(
            of: /<input type="(?:text|date|datetime-local|number)"[^>]* name="([^"]*)"(?: value="([^"]*)")?/
        ).map { ($0.1, $0.2 ?? "") }
        let areas = form.matches(of: /<textarea[^>]* name="([^"]*)"[^>]*>\n([^<]*)<\/textarea>/)
            .map { ($0.1, $0.2) }
        let choices = form.matches(of: /<select[^>]* name="([^"]*)".*?<\/select>/).compactMap { select in
            select.0.firstMatch(of: /<option value="([^"]*)" selected/).map { (select.1, $0.1) }
        }
        return (hidden + inputs + areas + choices).reduce(into: [:]) { all, entry in
            all[String(entry.0)] = String(entry.1).replacing("&quot;", with: "\"")
                .replacing("&lt;", with: "<").replacing("&amp;", with: "&")
        }
    }

    func send(_ path: String, _ entries: [String: String], as session: HTTPFields) async throws -> Answer {
        let body = entries.map {
            "\(PercentEncoding.encode($0.key))=\(PercentEncoding.encode($0.value))"
        }.joined(separator: "&")
        var headers = session
        headers[.contentType] = "application/x-www-form-urlencoded"
        headers[.userAgent] = "Mozilla/5.0 (Test)"
        return try await client.execute(
            uri: path, method: .post, headers: headers, body: ByteBuffer(string: body)
        ) { response in
            Answer(
                status: response.status.code, headers: response.headers,
                bytes: Array(response.body.readableBytesView))
        }
    }
}
