import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Console
@testable import Kernel
@testable import Kith
@testable import LinkTools
@testable import Operations
@testable import Web

/// What the API says in English is said in the reader's language, or marked as English.
@Suite(.inTurns) struct SayingTests {
    private static func words(_ language: String) -> Words {
        Words.chosen(wish: language, acceptLanguage: nil, zone: .gmt)
    }

    private static let japanese = words("ja")

    private func run(_ test: @escaping @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: {
            TestApp.withConsole(&$0)
            $0.app.linkDomains = "https://go.example.com"
            $0.app.linkTargets = "example.com"
        }) { app in
            var ann = try await app.signIn("ann@example.com", [.admin])
            ann[.cookie] = "\(ann[.cookie] ?? ""); kith-language=ja"
            try await test(app, ann)
        }
    }

    @Test func `each code of a refusal has words in Japanese, and in English the API's own`() throws {
        let document = try RepositoryFile.read("openapi.yaml")
        let codes = try #require(
            document.firstMatch(of: /\n    ProblemCode:\n[^§]*?\n      enum:\n((?:        - \w+\n)+)/)
        )
        .1.split(separator: "\n").map { String($0.drop { " -".contains($0) }) }
        #expect(codes.count > 100)
        let sayings = try #require(Self.japanese.sayings)
        for code in codes {
            #expect(
                sayings.meaning(of: code) != nil || Self.japanese.text(ifAny: "problem.\(code)") != nil,
                "\(code)")
            let problem = APIProblem(400, code, "It is so.")
            #expect(!problem.text(Self.words("en")).isEmpty)
        }
    }

    @Test(arguments: ["en", "ja"])
    func `each act of the audit has a word, and so has all that happens to people`(language: String) {
        let words = Self.words(language)
        let keys =
            OperatorAct.Kind.allCases.map { "audit.act.\($0.rawValue)" }
            + TimelineEntry.What.allCases.map { "timeline.\($0.rawValue)" }
        for key in keys { #expect(words.text(ifAny: key) != nil, "\(key)") }
    }

    @Test func `each fault of a host has words for what is wrong and how to mend it`() throws {
        let sayings = try #require(Self.japanese.sayings)
        for fault in LinkFault.all {
            for text in [fault.why, fault.mend] { #expect(sayings(text) != nil, "\(fault.name): \(text)") }
        }
    }

    @Test(arguments: [", ", ". ", "; ", ": ", " is ", "`a` ", "a.b: "])
    func `whatever a text says, four times as much of it is looked up in about four times the time`(
        part: String
    ) async throws {
        let sayings = try #require(Self.japanese.sayings)
        for word in ["a", "links", "it is missing", "{a}", "`a`"] {
            let text = String(repeating: word + part, count: 500)
            func cost(_ length: Int) async throws -> Double {
                try await MeteredExecutor().measure { sayings(String(text.prefix(length))) }.0
            }
            _ = try await cost(1)
            let (short, long) = try await (cost(249), cost(999))
            #expect(long < 12 * short + 5, "\(text.prefix(20)): \(long) ms, a quarter \(short) ms")
        }
    }

    @Test func `a value that looks like a name stays as it is`() {
        let sayings = Sayings(["'{a}' is not allowed: it must be {B}": "「{a}」は{B}", "one": "一つ"])
        #expect(sayings("'{B}{B}' is not allowed: it must be one") == "「{B}{B}」は一つ")
    }

    /// How sayings begin that the API puts together of parts.
    private static let composed = [
        "No active user is named by it", "{a}'s page shows", "the newcomer becomes", "the user asks {a}",
        "`appID", "`{a}` is no app: ", "`{a}` is not known here; ", "`{a}` names a variable, ",
        "all rules exclude",
        "there is no rule", "it answers {a} and leads to nowhere", "its Content-Type is missing",
        "{a} is not in `details`; ",
    ]

    @Test func `nothing is translated that the API does not say`() throws {
        let folder = RepositoryFile.root.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        let code = try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
            .replacing(/"\s*\+\s*"/, with: "").replacing("\\\"", with: "\"")
        let file = RepositoryFile.root.appending(path: "Sources/Console/languages/ja.api.json")
        let texts = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
        for (english, text) in texts where !english.hasPrefix("problem.") {
            let isComposed = Self.composed.contains { english.hasPrefix($0) }
            for piece in english.split(separator: /\{[a-zA-Z]\}/) where piece.count > 3 && !isComposed {
                let isSaid = code.contains(piece)
                #expect(isSaid, "\(english)")
            }
            let names = Set(english.matches(of: /\{[a-zA-Z]\}/).map { String($0.0) })
            #expect(names.isSuperset(of: text.matches(of: /\{[a-zA-Z]\}/).map { String($0.0) }), "\(english)")
        }
    }

    @Test(arguments: [
        ("`version` is missing.", "「version」：入力してください。"), ("“版” is missing.", "「版」：入力してください。"),
        ("“版”: 'x' is not allowed: it must be ios or android.", "「版」：「x」は使えません。ios または androidにしてください。"),
        ("policies.old.target: is missing", "policies.old.target：入力してください。"),
        ("Nobody has this code. The code is in force.", "このコードを持つ人はいません。このコードは有効です。"),
        ("ann is the current name of the active user u-ann.", "ann は有効なユーザー u-ann の今の名前です。"),
        ("Nobody ever had the name a. b. c.", nil),
        ("The code is revoked.", "このコードの状態は「取り消し済み」です。"), ("The code is odd.", nil),
        ("must be something that nobody said", nil), ("", nil),
        (String(repeating: "must be ", count: 120), nil),
    ])
    func `a saying keeps its values, and what is not known stays unsaid`(english: String, japanese: String?) {
        #expect(Self.japanese.sayings?(english) == japanese)
    }

    @Test func `a form in Japanese names the refused field as it does itself`() async throws {
        try await run { app, ann in
            let nobody = ["email": "nobody", "role.viewer": "true"]
            let one = try await app.submit("/access", "set", nobody, as: ann)
            #expect(one.status == 400 && one.text.contains("「メールアドレス」："), "\(one.text)")
            #expect(!one.text.contains("must be"), "\(one.text)")
            let without = try await app.submit("/access", "set", ["email": "bob@example.com"], as: ann)
            #expect(without.status == 400 && without.text.contains("「役割」：viewer, "), "\(without.text)")
            var english = ann
            english[.cookie] = ann[.cookie]?.replacing("kith-language=ja", with: "kith-language=en")
            let other = try await app.submit("/access", "set", nobody, as: english)
            #expect(other.text.contains("“Mail address” must be a mail address"), "\(other.text)")
        }
    }

    @Test func `what only the API knows stands in English, and says so`() {
        let problem = APIProblem(400, "invalid_field", "`color` is <odd>.", field: "color")
        #expect(
            problem.sentence(Self.japanese, of: "色").html
                == "入力内容が正しくありません。<span lang=\"en\">“色” is &lt;odd&gt;.</span>")
        #expect(problem.sentence(Self.words("en"), of: "Colour").html == "“Colour” is &lt;odd&gt;.")
    }

    @Test func `a page that is refused says so in the language that the person chose`() async throws {
        try await run { app, ann in
            let answer = try await app.get("/numbers/people.sign_ups?from=soon", headers: ann)
            #expect(answer.status == 400 && answer.text.contains("<html lang=\"ja\""), "\(answer.text)")
            #expect(answer.text.contains("「from」：2026-11-24 のような日付"), "\(answer.text)")
        }
    }

    @Test func `the audit is told in Japanese, and finds an act by its word`() async throws {
        try await run { app, ann in
            let page = try await app.get("/changes/audit", headers: ann).text
            #expect(page.contains(">ログイン</td>") && page.contains("方法：リンク"), "\(page)")
            #expect(page.contains("<option value=\"sign_in\">ログイン</option>"))
            let none = try await app.get("/changes/audit?act=create_key", headers: ann).text
            #expect(none.contains("value=\"create_key\" selected") && none.contains("該当する記録がありません"))
        }
    }
}

/// Explanations of links.
extension SayingTests {
    private static let links = [
        "/users/ann?invitedBy=u-ann", "/users/ANN?invitedBy=u-ann", "/users/ann0?invitedBy=u-ann",
        "/users/sev0?invitedBy=u-sev", "/users/sev?invitedBy=u-ann", "/users/never?invitedBy=u-ann",
        "/users/never?invitedBy=u-imp", "/users/ann?invitedBy=u-sus", "/users/ann?invitedBy=u-nobody",
        "/users/ann", "/users/ann0", "/users/never", "/users/never?invitedBy=u-nobody", "/users/%00",
        "/users/off?invitedBy=u-off", "/users/ask?invitedBy=u-ask",
        "/users/ann?invitedBy=u-ann&code=aaaaaaaaaaaaaaaa",
        "/users/ann/qr.svg?invitedBy=u-ann", "/", "/a/b/c/d", "/short", "/aaaaaaaaaaaaaaaa", "/@ann",
    ]

    @Test func `each explanation of a link is in Japanese`() async throws {
        try await run { app, ann in
            try await app.signUp("ann0", uid: "u-ann")
            try await app.rename("u-ann", to: "ann")
            try await app.signUp("sev0", uid: "u-sev")
            try await app.rename("u-sev", to: "sev", oldLinks: "sever")
            for name in ["imp", "off", "ask", "sus"] { try await app.signUp(name) }
            try await app.db.write.run("UPDATE users SET history_complete = false WHERE uid = 'u-imp'")
            for invites in ["off", "ask"] {
                _ = try await app.call(.patch, "/v1/me", as: "u-\(invites)", body: ["invites": invites])
            }
            try await app.setStatus("suspended", of: "u-sus")
            let made = try await app.post("/v1/invites", as: "u-ann")
            let code = try #require(made["code"])
            let own = [
                "\(TestApp.origin)/\(code)", "\(TestApp.origin)/users/ann?invitedBy=u-ann&code=\(code)",
            ]
            let deep = ["nothing", "?link=https%3A%2F%2Fexample.com%2Fa", "?link=nonsense", ""].map {
                "https://go.example.com/\($0)"
            }
            for url in Self.links.map({ TestApp.origin + $0 }) + own + deep {
                let path = "/people/explain?url=\(PercentEncoding.encode(url))"
                let answer = try await app.get(path, headers: ann)
                #expect(
                    answer.status == 200 && answer.text.contains("scope=\"row\""),
                    "\(url): \(answer.text)")
                let english = answer.text.matches(of: /<span lang="en">([^<]*)</).map { String($0.1) }
                #expect(english.isEmpty, "\(url): \(english)")
                let main = answer.text.components(separatedBy: "class=\"calls\"")[0]
                #expect(!main.contains(/>[^<]*[a-z] (?:[a-z]+ )+[a-z]+[^<]*</), "\(url): \(main)")
            }
        }
    }
}
