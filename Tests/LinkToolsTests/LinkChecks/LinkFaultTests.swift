import Testing

@testable import AppTesting
@testable import LinkTools
@testable import Web

/// Each row of docs/check-links.md: files without a fault, and what is told of those with one.
@Suite struct LinkFaultTests {
    /// A change of a sound file, and what it leads to.
    struct Case: Sendable {
        let faults: [String]
        let what: String
        let old: String
        let new: String

        init(_ faults: String, _ what: String, _ old: String, _ new: String) {
            self.faults = faults.split(separator: " ").map(String.init)
            (self.what, self.old, self.new) = (what, old, new)
        }
    }

    @Test func `sound files have no fault`() throws {
        let report = try LinkReport.of()
        #expect(report.findings == [] && report.isSound)
        #expect(report.apps.map(\.name) == ["ABCDE12345.com.example.app", "com.example.app"])
    }

    /// Changes of the answers and of what is expected.
    static let visits: [(faults: String, what: String, change: @Sendable (inout LinkVisit) -> Void)] = [
        (
            "unreachable", "it refuses connections at this port; start the server",
            { $0.change(.apple) { $0.failure = .refused } }
        ),
        ("unreachable", "its certificate is not valid", { $0.change(.android) { $0.failure = .noTLS } }),
        (
            "too-large", "the file cannot be fetched: its answer is too large",
            { $0.change(.android) { $0.failure = .tooLarge } }
        ),
        (
            "too-large", "it has 131,085 bytes",
            {
                $0.change(.apple) { $0.body += Array(repeating: 32, count: 131_085 - $0.body.count) };
                $0.answers.removeAll { $0.file == .oldApple }
            }
        ),
        (
            "no-https", "http://join.example.com is not https",
            { $0 = $0.of(.host(scheme: "http", host: "join.example.com", port: nil)) }
        ),
        (
            "loopback", "http://127.0.0.1:8080 is this machine",
            { $0 = $0.of(.host(scheme: "http", host: "127.0.0.1", port: 8080)) }
        ),
        (
            "port", "the port is 8443",
            { $0 = $0.of(.host(scheme: "https", host: "join.example.com", port: 8443)) }
        ),
        (
            "redirect", "it answers 301 and leads to https://www.example.com/x",
            {
                $0.change(.apple) {
                    $0.status = 301; $0.headers["location"] = "https://www.example.com/x"
                }
            }
        ),
        ("redirect", "it answers 302 and leads to nowhere", { $0.change(.android) { $0.status = 302 } }),
        ("status", "it answers 403", { $0.change(.android) { $0.status = 403 } }),
        (
            "missing", "there is neither",
            { for file in AssociationFile.allCases { $0.change(file) { $0.status = 404 } } }
        ),
        ("absent", "/.well-known/assetlinks.json is missing", { $0.change(.android) { $0.status = 404 } }),
        (
            "only-root", "the file is only at /apple-app-site-association",
            { $0.change(.apple) { $0.status = 404 } }
        ),
        (
            "root-differs", "/apple-app-site-association has another file",
            { $0.change(.oldApple) { $0.body = Array("{}".utf8) } }
        ),
        (
            "wrong-name", "there is .well-known/apple-app-site-association.json",
            { $0.misnamed = ".well-known/apple-app-site-association.json" }
        ),
        (
            "media-type", "its Content-Type is application/octet-stream",
            { $0.change(.apple) { $0.headers["content-type"] = "application/octet-stream" } }
        ),
        (
            "media-type-android", "its Content-Type is missing",
            { $0.change(.android) { $0.headers["content-type"] = nil } }
        ),
        (
            "compressed", "it comes compressed by gzip",
            { $0.change(.android) { $0.headers["content-encoding"] = "gzip" } }
        ),
        (
            "byte-order-mark", "it begins with a byte order mark",
            { $0.change(.android) { $0.body = [0xEF, 0xBB, 0xBF] + $0.body } }
        ),
        (
            "json", "it is signed, in binary",
            {
                $0.change(.apple) { $0.body = [0x30, 0x82, 0x01] };
                $0.answers.removeAll { $0.file == .oldApple }
            }
        ),
        (
            "robots", "robots.txt forbids the file",
            { $0.robots = RobotsRules("User-agent: *\nDisallow: /.well-known/asset") }
        ),
        (
            "cache", "it may be kept for 604,800 s",
            { $0.change(.android) { $0.headers["cache-control"] = "public, max-age=604800" } }
        ),
        (
            "same-host", "shows a page of the same host",
            {
                $0.page = LinkVisit.Answer(
                    file: .host, address: "https://join.example.com/users/ann", status: 200,
                    headers: ["content-type": "text/html; charset=utf-8"])
            }
        ),
    ]

    private static func text(_ text: String, _ example: Case) throws -> String {
        guard !example.old.isEmpty else { return example.new }
        try #require(text.contains(example.old), "\(example.old)")
        return text.replacing(example.old, with: example.new)
    }

    private static func check(_ report: LinkReport, _ faults: [String], _ what: String) {
        #expect(Set(report.findings.map(\.fault.name)) == Set(faults), "\(report.lines)")
        let first = faults.first
        #expect(
            report.findings.contains { $0.what.contains(what) && faults.contains($0.fault.name) },
            "\(first ?? ""): \(report.lines)")
    }

    @Test(arguments: apple.indices) func `a fault of Apple's file is told`(number: Int) throws {
        let example = Self.apple[number]
        let report = try LinkReport.of(apple: Self.text(LinkReport.soundApple, example))
        Self.check(report, example.faults, example.what)
    }

    @Test(arguments: android.indices) func `so is one of Google's`(number: Int) throws {
        let example = Self.android[number]
        let report = try LinkReport.of(android: Self.text(LinkReport.soundAndroid, example))
        Self.check(report, example.faults, example.what)
    }

    @Test(arguments: visits.indices) func `so is one of an answer`(number: Int) throws {
        let (faults, what, change) = Self.visits[number]
        Self.check(try LinkReport.of(change: change), faults.split(separator: " ").map(String.init), what)
    }

    @Test func `a page on another host is no fault`() throws {
        for location in ["https://www.example.com/x", "https://www.example.com:443/users/ann?a"] {
            let report = try LinkReport.of {
                $0.page = LinkVisit.Answer(
                    file: .host, address: "https://join.example.com/users/ann", status: 302,
                    headers: ["location": location, "content-type": "text/html"])
            }
            #expect(report.findings == [])
        }
    }

    @Test func `an app may have a statement for each relation`() throws {
        let other = LinkReport.soundAndroid.replacing(/"relation_extensions"[\s\S]*\]\}\},/, with: "")
            .replacing("handle_all_urls", with: "get_login_creds").dropFirst(1)
        let report = try LinkReport.of(android: "\(LinkReport.soundAndroid.dropLast(1)),\(other)")
        #expect(report.findings == [] && report.apps.map(\.fingerprints.count) == [0, 1], "\(report.lines)")
    }

    @Test func `of many faults of a kind twenty are shown`() throws {
        let paths = (0..<50).map { "\"a\($0)\"" }.joined(separator: ",")
        let lines = try LinkReport.of(
            apple: LinkReport.soundApple.replacing("\"NOT /users/*/?*\"", with: paths)
        ).lines
        #expect(lines.count { $0.contains("does not begin with a slash") } == 20, "\(lines)")
        #expect(lines.contains("           … and 30 more"))
    }

    static let expected: [(faults: String, what: String, ios: [String], android: [String])] = [
        ("", "", ["ABCDE12345.com.example.app"], ["com.example.app=\(LinkReport.key.lowercased())"]),
        (
            "expected-ios-app", "ABCDE12345.com.example.other is not in `details`",
            ["ABCDE12345.com.example.other"], []
        ),
        ("expected-ios-app", "; ABCDE12345.com.example.app is", ["ZZZZZ12345.com.example.app"], []),
        (
            "expected-android-app", "no statement lets links open com.example", [],
            ["com.example=\(LinkReport.key)"]
        ),
        (
            "expected-android-app", "com.example.app has no fingerprint 00:", [],
            ["com.example.app=\(String(repeating: "00", count: 32))"]
        ),
    ]

    @Test(arguments: expected.indices) func `an app that must be there and is not is an error`(number: Int)
        throws
    {
        let (faults, what, ios, android) = Self.expected[number]
        let report = try LinkReport.of(expecting: LinkExpectations(ios: ios, android: android))
        #expect(report.findings.map(\.fault.name) == faults.split(separator: " ").map(String.init))
        #expect(report.findings.allSatisfy { $0.what.contains(what) } && report.isSound == faults.isEmpty)
    }

    @Test func `each fault is tested, and docs/check-links.md has a row of it`() throws {
        let tested =
            (Self.apple + Self.android).flatMap(\.faults)
            + (Self.visits.map(\.faults) + Self.expected.map(\.faults)).flatMap {
                $0.split(separator: " ").map(String.init)
            }
        let names = LinkFault.all.map(\.name)
        #expect(Set(names) == Set(tested) && Set(names).count == names.count)
        let row = /(\| `[a-z\-]+` \| (?:error|warning|note) \|) .* \|/
        let listed = try RepositoryFile.read("docs/check-links.md").split(separator: "\n")
            .compactMap { try row.wholeMatch(in: $0).map { String($0.output.1) } }
        #expect(listed == LinkFault.all.map { "| `\($0.name)` | \($0.severity.rawValue) |" })
    }

    @Test func `files cannot control the terminal, nor keep it busy`() throws {
        let odd = "a\\u001b]0;x\\u0007\u{202E}b\\u2066\\r\\nc"
        let text = LinkReport.soundApple.replacing("/users/?*\"]", with: "\(odd) \"]")
        let lines = try LinkReport.of(apple: text) {
            $0.change(.android) { $0.headers["content-type"] = "a\u{1B}]0;b" }
        }.lines
        for scalar in lines.joined().unicodeScalars {
            let category = scalar.properties.generalCategory
            #expect(![.control, .format, .lineSeparator, .paragraphSeparator].contains(category), "\(lines)")
        }
        #expect(lines.contains { $0.contains("a]0;xb c") })
    }

    @Test(arguments: ["paths", "patterns", "brackets"])
    func `a file four times as long takes about four times the processor time`(kind: String) async throws {
        func file(_ count: Int) -> String {
            let sound = LinkReport.soundApple
            let paths = (0..<count).map { kind == "paths" ? "\"/*a*\($0)*\"" : "\"/$(w)/\($0)/$(w)\"" }
            let words = (0..<1500).map { "\"w\($0)\"" }.joined(separator: ",")
            guard kind != "brackets" else { return String(repeating: "[", count: 20 * count) }
            let text = sound.replacing("\"NOT /users/*/?*\"", with: paths.joined(separator: ","))
            return kind == "paths"
                ? text
                : text.replacing(
                    "\"apps\": [],", with: "\"apps\": [], \"substitutionVariables\": {\"w\": [\(words)]},")
        }
        func cost(_ count: Int) async throws -> Double {
            let text = file(count)
            return try await MeteredExecutor().measure { _ = try LinkReport.of(apple: text).lines }.0
        }
        let (short, long) = (try await cost(1500), try await cost(6000))
        // Four times as long. What grows with the square would take sixteen times as long.
        #expect(long < 10 * short + 50, "\(short) ms, then \(long) ms")
    }
}

extension LinkVisit {
    /// The same of another host.
    fileprivate func of(_ source: LinkSource) -> LinkVisit {
        var visit = LinkVisit(source: source)
        visit.answers = answers
        return visit
    }
}
