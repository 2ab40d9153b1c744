import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kith
@testable import Web

/// What people sent steers no terminal of an operator who prints it.
@Suite(.inTurns) struct VisibleTextTests {
    private static let odd =
        "x\u{1B}]0;owned\u{7}\u{1B}[2J\r\u{9B}\u{7F}\u{202E}\u{2066}\u{200F}\u{61C}\u{2028}é花"
    private static let visible =
        #"x\u001b]0;owned\u0007\u001b[2J\u000d\u009b\u007f\u202e\u2066\u200f\u061c\u2028é花"#

    private static func steers(_ text: String) -> Bool {
        text.unicodeScalars.contains {
            $0 != "\n"
                && ($0.properties.isBidiControl
                    || [.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory))
        }
    }

    @Test func `such characters are written as JSON escapes them`() throws {
        #expect(Self.odd.visible == Self.visible)
        #expect("a\nb\t".visible == #"a\u000ab\u0009"# && "a\n\u{1B}\n".visibleLines == "a\n\\u001b\n")
        #expect("plain ~".visible == "plain ~" && "花子".visible == "花子")
        let json = try JSONDecoder().decode(String.self, from: Data("\"\(Self.odd.visible)\"".utf8))
        #expect(json == Self.odd)
    }

    @Test func `what a command says of a very long value has its place, a part of it, and what is allowed`()
        async throws
    {
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-long-\(UUID()).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        let long = String(repeating: "x", count: 100_000)
        try "apps: {a: {hosts: [https://a.example.com], ios: {storeId: \(long)}}}".write(
            to: file, atomically: true, encoding: .utf8)
        try await TestApp.run { app in
            let url = app.app.config.database.url
            for settings in [[:], ["KITH_SUNSET": String(long.prefix(50_000))]] {
                let run = try await KithCommand(
                    ["apply", file.path], settings.merging(["KITH_DATABASE_URL": url]) { $1 }
                ).run()
                #expect(run.status == 1 && run.error.utf8.count < 8000, "\(run.error.prefix(4000))")
                #expect(run.error.contains("xxx' is not allowed: it must be "), "\(run.error.prefix(4000))")
            }
        }
    }

    @Test(arguments: [
        ["explain"], ["check-links"], ["check-preview"], ["username", "release"], ["key", "revoke"],
        ["webhooks", "delete"], ["import", "users"], ["import", "fdl"], ["apply"], ["rewards", "show"],
        ["export", "links", "--domain"], ["token", "--uid"], [],
    ])
    func `no command prints them as they are`(words: [String]) async throws {
        try await TestApp.run { app in
            let run = try await KithCommand(
                words + [Self.odd],
                ["KITH_DATABASE_URL": app.app.config.database.url, "KITH_LINK_URL": TestApp.origin]
            ).run()
            #expect(!Self.steers(run.output) && !Self.steers(run.error), "\(run.output)\(run.error)")
        }
    }

    @Test func `nor does the explanation of a link`() async throws {
        try await TestApp.run { app in
            let uid = "u-\u{202E}nna\u{2066}"
            try await app.signUp("anna", uid: uid)
            var headers = try await app.keyed()
            headers[.accept] = "text/plain"
            let url = "\(TestApp.origin)/users/anna?invitedBy=\(PercentEncoding.encode(uid))"
            let text = try await app.get(
                "/v1/admin/explain?url=\(PercentEncoding.encode(url))", headers: headers)
            #expect(text.text.contains(#"the uid u-\u202enna\u2066 is anna: active"#), "\(text.text)")
            let run = try await KithCommand(
                ["explain", url],
                ["KITH_DATABASE_URL": app.app.config.database.url, "KITH_LINK_URL": TestApp.origin]
            ).run()
            #expect(run.status == 0 && run.output == text.text && !Self.steers(run.output), "\(run.output)")
            let odd = "\(TestApp.origin)/users/\(Self.odd)"
            let answer = try await app.get(
                "/v1/admin/explain?url=\(PercentEncoding.encode(odd))", headers: headers)
            #expect(!Self.steers(answer.text), "\(answer.text)")
        }
    }
}
