import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Imports
@testable import Kernel
@testable import Links

/// Files that are odd, or no such CSV.
extension LinkImportTests {
    @Test(arguments: [1, 2, 3, 7, 4096])
    func `chunks may end anywhere, with a mark of order and two characters at the ends of lines`(size: Int)
        async throws
    {
        try await run { (app) async throws in
            let rows = (Self.link("a", [.st: "x,\"y\"", .sd: "花"]) + Self.link("b")).replacing(
                "\n", with: "\r\n")
            let (report, _) = try await Self.import(
                app, Array("\u{FEFF}\(Self.header)\r\n\(rows)".utf8), false, size)
            #expect((report.lines, report.imported) == (2, 2))
            #expect(try await location(app, "/b") == Self.party)
        }
    }

    @Test func `a code at whose place something else stands is refused`() async throws {
        try await run { (app) async throws in
            let (report, lines) = try await `import`(
                app, Self.link("apple-app-site-association") + Self.link("a"))
            #expect(report.imported == 1)
            #expect(lines.count == 1 && lines[0].contains("something else stands there"), "\(lines)")
        }
    }

    @Test func `columns are known by other names in any order, and by their places if they are not known`()
        async throws
    {
        try await run { (app) async throws in
            for (code, header) in [
                ("a", "Name,Short Link,\"Deep link\",socialTitle"), ("b", "link_name,SHORT-URL,Link,st"),
            ] {
                let (report, lines) = try await `import`(
                    app, "N,https://go.example.com/\(code),\(Self.party),T\n", header: header)
                #expect((report.imported, lines) == (1, []))
            }
            let unknown = (1...29).map { "Spalte \($0)" }.joined(separator: ",")
            #expect(
                try await `import`(app, Self.link("c", [.st: "T", .linkName: "N"]), header: unknown).report
                    .imported == 1)
            let titles = try await app.db.bulk.query("SELECT parameters ->> 'st', name FROM links") {
                try "\($0.next(as: String.self)) \($0.next(as: String.self))"
            }
            #expect(titles == ["T N", "T N", "T N"])
            let headless = try await `import`(app, Self.link("d") + Self.link("e.f"), header: "")
            #expect(headless.report.imported == 1 && headless.report.lines == 2, "without a header")
            #expect(headless.lines.first?.hasPrefix("line 2: refused") == true, "\(headless.lines)")
        }
    }

    @Test func `a file without a header whose short links have no scheme loses no line`() async throws {
        try await run { (app) async throws in
            let rows = ["a", "b"].map {
                Self.line([.shortLink: "go.example.com/\($0)", .link: Self.party, .st: "T"])
            }
            let (report, lines) = try await `import`(app, rows.joined(), header: "")
            #expect((report.lines, report.imported, lines) == (2, 2, []))
            for code in ["a", "b"] { #expect(try await location(app, "/\(code)") == Self.party) }
        }
    }

    @Test(arguments: [
        ("", 1, "no header line"), ("short_link\nx\n", 1, "no columns short_link and link"),
        ("short_link,link,colour\n", 1, "unknown column 'colour'"),
        ("short_link,link,Deep link\n", 1, "the same meaning"),
        (
            LinkColumn.ofGoogle.reversed().map { $0 == .shortLink ? "?" : $0.rawValue }.joined(separator: ",")
                + "\n", 1, "a column is called"
        ),
        (header + "\nhttps://go.example.com/a,https://example.com/\n", 2, "missing data"),
        (header + "\n" + link("a").dropLast() + ",more\n", 2, "extra data"),
        (header + "\n" + link("a", [.st: "a\0b"]), 2, "invalid byte sequence"),
        (header + "\n\"" + link("a"), 3, "unterminated"),
        (header + "\n" + link("a") + "\\.\n" + link("b"), 3, "ends the data"),
    ])
    func `a file that is not such CSV imports nothing, and the error names the line`(
        csv: String, line: Int, reason: String
    ) async throws {
        try await run { (app) async throws in
            do {
                _ = try await Self.import(app, Array(csv.utf8))
                Issue.record("imported")
            } catch ImportError.malformed(let found, let message) {
                #expect(found == line && message.contains(reason), "line \(found ?? 0): \(message)")
            }
            #expect(try await app.count("links") == 0)
        }
    }

    @Test func `invalid UTF-8 imports nothing; a line of ten million characters is one line`() async throws {
        try await run { (app) async throws in
            await #expect(throws: ImportError.self) {
                try await Self.import(
                    app, Array("\(Self.header)\n\(Self.link("a"))".utf8) + [0xC3, 0x28, 0x0A])
            }
            let long =
                Self.link("a", [.sd: String(repeating: "é", count: 5_000_000)])
                + Self.link("b", [.link: String(repeating: "x", count: 10_000_000)]) + Self.link("c")
            let (report, lines) = try await `import`(app, long, chunk: 262_144)
            #expect((report.imported, report.found) == (2, ["link_partly 1 [2]", "link_target 1 [3]"]))
            #expect(lines.allSatisfy { $0.utf8.count < 1000 })
            #expect(try await location(app, "/a") == Self.party)
        }
    }

    @Test func `line numbers count the line breaks in fields, and reports are fit for a terminal`()
        async throws
    {
        try await run { (app) async throws in
            let csv =
                Self.link("a", [.sd: "1\n2\r\n3"]) + Self.link("bad.", [.sd: "1\n2"])
                + Self.link("\u{1B}[31m\u{7}x")
            let (report, lines) = try await `import`(app, csv)
            #expect(report.found == ["link_code 2 [5, 7]"])
            #expect(
                lines.count == 2 && lines[0].hasPrefix("line 5: ") && lines[1].hasPrefix("line 7: "),
                "\(lines)")
            #expect(
                lines.allSatisfy {
                    $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
                })
        }
    }

    @Test func `a link is of the longest domain that its URL begins with`() async throws {
        for domains in [
            "https://go.example.com,https://go.example.com/l",
            "https://go.example.com/l,https://go.example.com",
        ] {
            try await run(domains: domains) { (app) async throws in
                #expect(try await `import`(app, Self.link("l/a") + Self.link("lx")).report.imported == 2)
                let rows = try await app.db.bulk.query(
                    "SELECT domain || ' ' || code FROM links ORDER BY 1"
                ) {
                    try $0.next(as: String.self)
                }
                #expect(rows == ["https://go.example.com lx", "https://go.example.com/l a"])
                for path in ["/l/a", "/lx"] { #expect(try await location(app, path) == Self.party) }
            }
        }
    }

    @Test func `a target of the link's own host at which no link stands is taken`() async throws {
        try await run(domains: "https://go.example.com") { (app) async throws in
            let csv = Self.link("a", [.link: "https://go.example.com/myspa?org=9"])
            for (new, found) in [(1, []), (0, ["already 1 [2]"])] {
                let report = try await `import`(app, csv).report
                #expect((report.imported, report.found) == (new, found))
            }
            for target in ["https://go.example.com/a", "https://go.example.com/?link=x"] {
                #expect(
                    try await `import`(app, Self.link("b", [.link: target])).report.found == [
                        "link_target 1 [2]"
                    ])
            }
        }
    }

    @Test func `the code of a deleted link is not given again, and nothing stands there`() async throws {
        try await run { (app) async throws in
            _ = try await `import`(app, Self.link("a"))
            try await app.db.write.run(
                "UPDATE links SET kind = 'deleted', parameters = '{}', name = NULL WHERE code = 'a'")
            let gone = try await `import`(app, Self.link("a"))
            #expect((gone.report.imported, gone.report.found) == (0, ["code_taken 1 [2]"]))
            #expect(gone.lines.count == 1 && gone.lines[0].contains("was deleted"), "\(gone.lines)")
            let other = try await `import`(app, Self.link("d", [.link: "https://go.example.com/a"]))
            #expect((other.report.imported, other.report.found) == (1, []))
        }
    }
}
