import Foundation
import Postgres
import Schema
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Operations
@testable import Web

/// The tables in the documents match the code.
struct DocumentTests {
    @Test func `docs/settings.md lists every setting with its default, and no other`() throws {
        let shown = Config.shown(environment: [:]).map { name, value in
            let standard = value.replacing(" (default)", with: "")
            return "| `\(name)` | \(standard == "–" ? "–" : "`\(standard)`") |"
        }
        let listed = try RepositoryFile.read("docs/settings.md").split(separator: "\n")
            .filter { $0.hasPrefix("| `KITH_") }
            .map { $0.split(separator: "|").prefix(2).map { "|\($0)" }.joined() + "|" }
        #expect(listed.sorted() == shown.sorted())
    }

    @Test func `docs/database.md says of every table what cleans it`() throws {
        let text = try RepositoryFile.read("docs/database.md")
        let start = try #require(text.range(of: "### What grows, and what cleans it\n")).upperBound
        let end = try #require(text.range(of: "\n#", range: start..<text.endIndex)).lowerBound
        let tables = text[start..<end].split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row in
            row.split(separator: "|")[0].matches(of: /`([a-z_]+)`/).map { String($0.output.1) }
        }
        #expect(tables.sorted() == Migration.tables.sorted())
    }

    @Test func `docs/pages.md lists every value of the templates, and no other`() throws {
        let text = try RepositoryFile.read("docs/pages.md")
        func listed(_ start: String) throws -> Set<String> {
            let rest = try text[#require(text.range(of: "\n- \(start)")).upperBound...]
            let item = try rest[..<#require(rest.range(of: "\n- ")).lowerBound]
            return Set(item.matches(of: /`([A-Za-z]+)`/).map { String($0.output.1) })
        }
        let both = try listed("Both have ")
        #expect(try listed("`landing.mustache`, ").union(both) == Templates.Name.landing.values)
        #expect(try listed("`error.mustache`, ").union(both) == Templates.Name.error.values)
    }

    @Test func `the documents say how many connections a server takes by default`() throws {
        let driver = DatabaseConfig().driver
        let most = Set(["\(driver.usualConnections)", "\(driver.mostConnections)"])
        for (document, numbers) in [
            ("docs/database.md", /`kith serve` takes up to (\d+):[^.]*up to (\d+)\./),
            ("docs/operations.md", /takes \[(\d+) connections\][^.]*\.md[^.]*up to (\d+) while/),
            ("docs/servers.md", /of (\d+) \[connections\][^.]*\.md[^.]*up to\s+(\d+) while/),
            ("docs/scale.md", /× (\d+) to (\d+) are/),
        ] {
            let found = try #require(RepositoryFile.read(document).firstMatch(of: numbers), "\(document)")
            #expect(Set([String(found.output.1), String(found.output.2)]) == most, "\(document)")
        }
    }

    @Test func `docs/limits.md lists every rate limit, and whether servers share it`() throws {
        let rows = RateLimit.settable.map { limit in
            let window = limit.standard.window == 3600 ? "h" : "m"
            return
                "| `\(limit.name)` | `\(limit.standard.quota)/\(window)` | \(limit.isShared ? "yes" : "no") |"
        }
        let listed = try RepositoryFile.read("docs/limits.md")
            .matches(of: /\n(\| `[a-z]+` \| `\d+\/[mh]` \| (?:yes|no) \|)/).map { String($0.output.1) }
        #expect(listed == rows)
        #expect(RateLimit.settable.allSatisfy { [60, 3600].contains($0.standard.window) })
    }

    @Test func `openapi.yaml lists every error code with its status, and no other`() throws {
        var codes: Set<String> = []
        let sources = RepositoryFile.root.appending(path: "Sources")
        for case let path as String in try #require(FileManager.default.enumerator(atPath: sources.path))
        where path.hasSuffix(".swift") {
            let source = try RepositoryFile.read("Sources/\(path)")
            for match in source.matches(of: /(?:Problem|notFound)\([^"()]*"([a-z_]+)"(?: : "([a-z_]+)")?/) {
                codes.insert(String(match.output.1))
                if let other = match.output.2 { codes.insert(String(other)) }
            }
        }
        let schema = try #require(
            try RepositoryFile.read("openapi.yaml").firstMatch(
                of: /\n {4}ProblemCode:([\s\S]*?)enum:\n((?: {8}- \w+\n)+)/))
        let described = schema.output.1
            .matches(of: /\n {8}- (?:4xx|[45]\d\d) `([a-z_]+)`/).map { String($0.output.1) }
        let named = schema.output.2.matches(of: /- (\w+)/).map { String($0.output.1) }
        #expect(named.sorted() == codes.sorted())
        #expect(described == named)
    }

    @Test func `Sources/Postgres/README.md lists every lane with its connections and its deadline`() throws {
        let driver = Database.Configuration(url: "")
        var lanes = [
            "landings": driver.landings, "read": driver.read, "lists": driver.lists, "write": driver.write,
            "walks": driver.walks, "bulk": driver.bulk, "exclusive": driver.exclusive,
        ]
        lanes["write"]?.connections = DatabaseConfig().writers
        let rows = try RepositoryFile.read("Sources/Postgres/README.md")
            .matches(of: /\n\| \*([a-z]+)\* \|[^|]*\| ([^|]*) \|[^|]*\| (\d+) s[^|]*\|/)
        #expect(Set(rows.map { String($0.output.1) }) == Set(lanes.keys).union(["watch"]))
        for row in rows {
            guard let lane = lanes[String(row.output.1)] else { continue }
            #expect(row.output.2.contains("\(lane.connections)"))
            #expect(Int(row.output.3).map { Duration.seconds($0) } == lane.deadline)
        }
    }

    @Test func `the README says how many invariants there are, and how many are mended`() throws {
        let invariants = App.checks.flatMap(\.invariants)
        let mended = invariants.count { $0.remedy == .repair }
        #expect(
            try RepositoryFile.read("README.md").contains(
                "`kith verify` checks \(invariants.count) invariants on the live database and mends \(mended) of them"
            ))
        #expect(
            try RepositoryFile.read("README.ja.md").contains(
                "\(invariants.count) の不変条件を調べ、そのうち \(mended) を直します"))
    }
}
