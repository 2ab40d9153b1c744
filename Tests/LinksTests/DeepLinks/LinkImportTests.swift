import Foundation
import HTTPTypes
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Imports
@testable import Kernel
@testable import Kith
@testable import Links

/// `kith import fdl` and `kith export links`, up to the visitor of an imported link.
@Suite(.inTurns) struct LinkImportTests {
    static let header = LinkColumn.ofGoogle.map(\.rawValue).joined(separator: ",")
    static let party = "https://example.com/party?id=7"

    /// A line of Google's columns, with its line end.
    static func line(_ fields: [LinkColumn: String], _ columns: [LinkColumn] = LinkColumn.ofGoogle) -> String
    {
        columns.map { column in
            let field = fields[column] ?? ""
            return field.utf8.contains { ",\"\r\n".utf8.contains($0) }
                ? "\"\(field.replacing("\"", with: "\"\""))\"" : field
        }
        .joined(separator: ",") + "\n"
    }

    static func link(_ code: String, _ fields: [LinkColumn: String] = [:]) -> String {
        line([.shortLink: "https://go.example.com/\(code)", .link: party].merging(fields) { $1 })
    }

    func run(
        domains: String = "https://go.example.com,\(TestApp.origin)/l",
        targets: String = "example.com,go.example.com", database: String = "",
        _ test: @Sendable (TestApp) async throws -> Void
    ) async throws {
        try await TestApp.run(
            configure: {
                TestApp.withStores(&$0)
                $0.app.linkDomains = domains.isEmpty ? nil : domains
                $0.app.linkTargets = targets
                $0.database.url = database
            }) { try await test($0) }
    }

    /// The report, and its lines.
    @discardableResult
    func `import`(
        _ app: TestApp, _ rows: String, header: String = header, isDryRun: Bool = false, chunk: Int = 4096
    ) async throws -> (report: ImportReport, lines: [String]) {
        try await Self.import(
            app, Array("\(header)\(header.isEmpty ? "" : "\n")\(rows)".utf8), isDryRun, chunk)
    }

    static func `import`(
        _ app: TestApp, _ bytes: [UInt8], _ isDryRun: Bool = false, _ chunk: Int = 4096
    ) async throws -> (report: ImportReport, lines: [String]) {
        var rest = bytes[...]
        let lines = Mutex<[String]>([])
        let report = try await ShortLinkImportStore(app.db, app.app.config).run(
            isDryRun: isDryRun,
            progress: { if case .found(let line) = $0 { lines.withLock { $0.append(line) } } },
            from: {
                defer { rest = rest.dropFirst(chunk) }
                return rest.isEmpty ? nil : Array(rest.prefix(chunk))
            })
        return (report, lines.withLock { $0 })
    }

    func location(_ app: TestApp, _ path: String, host: String = "go.example.com") async throws
        -> String?
    {
        try await app.get(path, headers: [.testHost: host]).headers[.location]
    }

    private func rows(_ app: TestApp) async throws -> [String] {
        try await app.db.bulk.query("SELECT links::text FROM links ORDER BY domain, code") {
            try $0.next()
        }
    }

    @Test func `a link keeps its domain, its path and all it says`() async throws {
        try await run { (app) async throws in
            let all: [LinkColumn: String] = [
                .shortLink: "https://go.example.com/summer/2021", .link: Self.party, .apn: "com.example.app",
                .afl: "https://example.com/android", .amv: "12", .ibi: "com.example.app",
                .ifl: "https://example.com/ios", .ipfl: "https://example.com/ipad", .ipbi: "com.example.app",
                .isi: "6448311069", .imv: "1.2", .efr: "TRUE", .ofl: "https://example.com/computer",
                .st: "A, \"party\"",
                .sd: "Two\nlines", .si: "https://pictures.example.org/a.png", .utmSource: "print",
                .utmMedium: "qr",
                .utmCampaign: "s", .utmTerm: "t", .utmContent: "c", .at: "1", .ct: "2", .mt: "8", .pt: "4",
                .archived: "true", .linkName: "Summer 花", .createdAt: "2021-03-04T05:06:07.123456Z",
            ]
            let (report, lines) = try await `import`(app, Self.line(all))
            #expect((report.imported, report.found, lines) == (1, [], []), "\(lines)")
            let row = try await app.db.bulk.first(
                """
                SELECT kind, parameters::text, name, created_at = '2021-03-04T05:06:07.123456Z', archived_at <= now(), expires_at IS NULL
                FROM links WHERE code = 'summer/2021' AND domain = 'https://go.example.com'
                """
            ) {
                try (
                    $0.next(as: String.self), $0.next(as: String.self), $0.next(as: String.self),
                    $0.next(as: Bool.self), $0.next(as: Bool.self), $0.next(as: Bool.self)
                )
            }
            let found = try #require(row)
            #expect((found.0, found.2, found.3, found.4, found.5) == ("custom", "Summer 花", true, true, true))
            var expected: [String: String] = [:]
            for (column, value) in all where column.parameter != nil { expected[column.rawValue] = value }
            expected["efr"] = "1"
            #expect(try JSONDecoder().decode([String: String].self, from: Data(found.1.utf8)) == expected)
            #expect(try await location(app, "/summer/2021") == "https://example.com/computer")
        }
    }

    @Test func `one file has links of several domains, also with codes of several segments`() async throws {
        try await run { (app) async throws in
            let (report, _) = try await `import`(
                app,
                Self.link("a") + Self.link("b/c-d_e/")
                    + Self.link("x", [.shortLink: "HTTPS://GO.Example.com/X?utm=1"])
                    + Self.link("", [.shortLink: "go.example.com/bare"])
                    + Self.link("", [.shortLink: "\(TestApp.origin)/l/a", .link: "https://example.com/l"]))
            #expect(report.imported == 5)
            for code in ["a", "b/c-d_e", "X", "bare"] {
                #expect(try await location(app, "/\(code)") == Self.party)
            }
            #expect(try await location(app, "/x") == nil, "codes differ by case")
            let host = String(TestApp.origin.split(separator: "/").last ?? "")
            #expect(try await location(app, "/l/a", host: host) == "https://example.com/l")
        }
    }

    @Test func `a second import changes nothing, and a code that leads elsewhere keeps its link`()
        async throws
    {
        try await run { (app) async throws in
            let csv = Self.link("a", [.archived: "yes", .linkName: "A"]) + Self.link("b") + Self.link("b")
            #expect(try await `import`(app, csv).report.found == ["already 1 [4]"])
            let before = try await rows(app)
            let again = try await `import`(app, csv)
            #expect(
                (again.report.imported, again.report.found, again.lines) == (0, ["already 3 [2, 3, 4]"], []))
            let other = try await `import`(
                app, Self.link("a", [.st: "Other"]) + Self.link("b", [.link: "https://example.com/"]))
            #expect((other.report.imported, other.report.found) == (0, ["code_taken 2 [2, 3]"]))
            #expect(
                other.lines.count == 2
                    && other.lines[0].hasPrefix(
                        "line 2: refused https://go.example.com/a: it leads elsewhere already (https://example.com/party?id=7)"
                    ), "\(other.lines)")
            #expect(try await rows(app) == before)
            let both = try await `import`(app, Self.link("c") + Self.link("c", [.st: "Other"]))
            #expect((both.report.imported, both.report.found) == (1, ["code_taken 1 [3]"]))
        }
    }

    @Test(arguments: [
        ("https://other.example.com/a", party, "link_domain", "add it to KITH_LINK_DOMAINS"),
        ("https://x.page.link/a", party, "link_domain", "nobody can take over page.link"),
        ("https://example.com/a", party, "link_domain", "add it to KITH_LINK_DOMAINS"),
        ("https://go.example.com.evil.example/a", party, "link_domain", "go.example.com.evil.example"),
        ("https://go.example.com/", party, "link_code", "1 to 128 letters"),
        ("https://go.example.com/a.b", party, "link_code", "1 to 128 letters"),
        ("https://go.example.com/a//b", party, "link_code", "1 to 128 letters"),
        (
            "https://go.example.com/\(String(repeating: "a", count: 129))", party, "link_code",
            "1 to 128 letters"
        ),
        ("https://user@go.example.com/a", party, "link_code", "no URL"), ("", party, "link_code", "no URL"),
        ("https://go.example.com/a", "", "link_target", "empty"),
        ("https://go.example.com/a", "myapp://party", "link_target", "no http or https URL"),
        ("https://go.example.com/a", "javascript:alert(1)", "link_target", "no http or https URL"),
        (
            "https://go.example.com/a", "https://example.com/\(String(repeating: "a", count: 4000))",
            "link_target", "2,048"
        ),
        ("https://go.example.com/a", "https://go.example.com/a", "link_target", "another link"),
        (
            "https://go.example.com/a", "https://evil.example/", "link_not_allowed",
            "evil.example: add that host to KITH_LINK_TARGETS"
        ),
        (
            "https://go.example.com/a", "https://example.com@evil.example/", "link_target",
            "no http or https URL"
        ),
    ])
    func `a line that cannot be is refused, with its number, the reason and the mend`(
        url: String, target: String, reason: String, mend: String
    ) async throws {
        try await run(domains: "https://go.example.com") { (app) async throws in
            let (report, lines) = try await `import`(
                app, Self.link("good") + Self.line([.shortLink: url, .link: target]) + Self.link("too"))
            #expect((report.lines, report.imported) == (3, 2))
            #expect(report.found == ["\(reason) 1 [3]"], "\(lines)")
            #expect(
                lines.count == 1 && lines[0].hasPrefix("line 3: refused ") && lines[0].contains(mend),
                "\(lines)")
        }
    }

    @Test(arguments: [
        (LinkColumn.apn, "com.other", "apn is not in KITH_ANDROID_PACKAGE"),
        (.ibi, "com.other", "ibi is not in KITH_IOS_BUNDLE_ID"),
        (.ipbi, "com.other", "ipbi is not in KITH_IOS_BUNDLE_ID"),
        (.amv, "1", "amv says nothing without the package of an app (apn)"),
        (.isi, "6448311069", "isi says nothing without the bundle id of an app (ibi or ipbi)"),
        (.ius, "other", "ius is not KITH_APP_SCHEME"),
        (
            .afl, "https://evil.example/x",
            "afl leads to evil.example: left out until KITH_LINK_TARGETS has it"
        ),
        (.ifl, "https://evil.example/x", "ifl leads to evil.example"),
        (.ipfl, "https://evil.example/x", "ipfl leads"),
        (.ofl, "https://evil.example/x", "ofl leads to evil.example"),
        (.al, "https://evil.example/x", "al leads to evil"),
        (.ofl, "javascript:alert(1)", "ofl is no http or https URL"),
        (.si, "data:image/png,x", "si is no http or https URL"),
        (.efr, "perhaps", "efr is neither 0 nor 1"),
        (.st, String(repeating: "花", count: 700), "st has more than 2,048 bytes"),
        (.linkName, String(repeating: "n", count: 101), "its name is not one line"),
        (.linkName, "a\nb", "its name is not one line"),
        (.createdAt, "yesterday", "created_at is no time"),
        (.createdAt, "2999-01-01", "created_at is no time"),
        (.createdAt, "2021-02-30T00:00:00Z", "created_at is no time"),
        (.createdAt, "0000-01-01", "created_at is no time"),
        (.expiresAt, "0000-12-31", "expires_at is no time"),
        (.createdAt, "99999999999999999999", "created_at is no time"),
        (.createdAt, "9223372036854775807", "created_at is no time"),
        (.createdAt, "-5", "created_at is no time"),
        (.expiresAt, "soon", "expires_at is no time"), (.archivedAt, "1960-01-01", "archived_at is no time"),
    ])
    func `a link with a part that does not hold works without it, and a line says what to do`(
        column: LinkColumn, value: String, warning: String
    ) async throws {
        try await run { (app) async throws in
            let names = LinkColumn.allCases.map(\.rawValue).joined(separator: ",")
            let (report, lines) = try await `import`(
                app,
                Self.line(
                    [.shortLink: "https://go.example.com/a", .link: Self.party, column: value],
                    LinkColumn.allCases),
                header: names)
            #expect((report.imported, report.found) == (1, ["link_partly 1 [2]"]), "\(lines)")
            #expect(
                lines.count == 1
                    && lines[0].hasPrefix("line 2: warning https://go.example.com/a: \(warning)"), "\(lines)")
            #expect(try await location(app, "/a") == Self.party)
        }
    }

    @Test func `what did not hold works once the settings have it, without a second import`() async throws {
        let url = try await TestPostgres.shared.migratedDatabase()
        let csv = Self.link("a", [.ofl: "https://later.example/x"])
        try await run(database: url) { (app) async throws in
            #expect(try await `import`(app, csv).report.imported == 1)
            #expect(try await location(app, "/a") == Self.party)
        }
        try await run(targets: "example.com,later.example", database: url) { (app) async throws in
            #expect(try await location(app, "/a") == "https://later.example/x")
            #expect(try await `import`(app, csv).report.found == ["already 1 [2]"])
        }
    }

    @Test func `a dry run reports everything and writes nothing`() async throws {
        try await run { (app) async throws in
            let (report, lines) = try await `import`(app, Self.link("a") + Self.link("b."), isDryRun: true)
            #expect((report.imported, lines.count) == (1, 1))
            #expect(try await app.count("links") == 0)
        }
    }

    @Test func `without a domain in the settings nothing is imported`() async throws {
        try await run(domains: "") { (app) async throws in
            await #expect(
                throws: ImportError.malformed(
                    line: nil, "KITH_LINK_DOMAINS is not set: name the domains of the links there")
            ) {
                try await `import`(app, Self.link("a"))
            }
        }
    }

    @Test func `links that others make meanwhile stay theirs`() async throws {
        try await run { (app) async throws in
            let store = ShortLinkStore(db: app.db)
            let domain = try #require(LinkDomain("https://go.example.com"))
            for number in 0..<50 {
                let code = try #require(ShortLink.Code("c\(number)"))
                async let made = store.add(
                    code, in: domain, .custom, ["link": "https://example.com/mine"], ShortLinkDetails(),
                    expiresIn: nil, by: ShortLinkMaker(key: nil, isBackend: true))
                async let done = `import`(app, Self.link("c\(number)"))
                let (row, report) = try await (made, done.report)
                #expect((row == nil) == (report.imported == 1))
                #expect(report.found == (row == nil ? [] : ["code_taken 1 [2]"]))
            }
        }
    }
}
