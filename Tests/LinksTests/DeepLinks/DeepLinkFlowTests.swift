import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Visits
@testable import Web

/// `?d=1`, the picture of where a deep link leads.
@Suite(.inTurns) struct DeepLinkFlowTests {
    static let link = "link=https%3A%2F%2Fexample.com%2Fparty%3Fid%3D7"
    static let apps = "apn=com.example.app&ibi=com.example.app&isi=6448311069"

    func run(_ test: @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: {
            TestApp.withLinks(&$0)
            $0.app.iosTeamID = "ABCDE12345"
            ($0.app.iosBundleID, $0.app.androidPackage) = ("com.example.app", "com.example.app")
        }) { app in
            try await app.signUp("ann")
            let key = try await app.keyed(.server)
            let body: Body = [
                "code": "party", "suffix": "custom",
                "parameters": [
                    "link": "https://example.com/party", "apn": "com.example.app",
                    "ofl": "https://example.com/web",
                    "st": "<Party> & \"more\"",
                ],
            ]
            let made = try await app.post("/v1/links", as: nil, headers: key, body)
            try #require(made.status == 201, "\(made.text)")
            try await test(app, key)
        }
    }

    func open(_ app: TestApp, _ path: String, _ device: HTTPFields = [:]) async throws
        -> TestApp.Answer
    {
        var headers = device
        headers[.testHost] = "go.example.com"
        return try await app.get(path, headers: headers)
    }

    private static func form(_ text: String) -> String {
        PercentEncoding.encode(text).replacing("%20", with: "+")
    }

    @Test func `it shows where each device goes, and what is wrong`() async throws {
        try await run { app, _ in
            let page = try await open(app, "/?\(Self.link)&\(Self.apps)&afl=nope&odd=9&d=1")
            #expect(page.status == 200 && page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(page.headers[.robotsTag] == "noindex" && page.headers[.cacheControl] == "no-store")
            for text in [
                #"href="https://play.google.com/store/apps/details?id=com.example.app&amp;referrer="#,
                #"href="https://apps.apple.com/app/id6448311069""#, #"href="https://example.com/party?id=7""#,
                "NOT_URI_ANDROID_FALLBACK_LINK", "UNRECOGNIZED_PARAM", "<svg ", "Is there apn?",
            ] {
                #expect(page.text.contains(text), "\(text)")
            }
            #expect(!page.text.contains("d=1</bdi>") && !page.text.contains("role=\"status\""))
        }
    }

    @Test(arguments: ["en", "ja", "ar"])
    func `it is in the visitor's language`(language: String) async throws {
        try await run { app, _ in
            let page = try await open(app, "/party?d=1&hl=\(language)")
            #expect(page.text.contains("<html lang=\"\(language)\""))
            let texts = try LandingLanguages()[#require(Language(language))]
            #expect(page.text.contains(">\(texts(.flowShow))</button>"))
        }
    }

    @Test func `a user agent that somebody pastes has its way lit, and only that`() async throws {
        try await run { app, _ in
            let agents: [(String, String)] = [
                ("Mozilla/5.0 (Linux; Android 16; Pixel 9)", "Android"),
                ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X)", "iPhone"),
                ("Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X)", "iPad"),
                (
                    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/26.0 Safari/605.1.15",
                    "Mac, perhaps an iPad"
                ),
                ("Mozilla/5.0 (Windows NT 10.0; Win64; x64)", "Computer"), ("WhatsApp/2.23.20.0", "Preview"),
                ("", "Computer"), ("花 + <script>", "Preview"),
            ]
            for (agent, name) in agents where !agent.isEmpty {
                let page = try await open(app, "/party?d=1&ua=\(Self.form(agent))")
                #expect(page.status == 200)
                #expect(page.text.contains("This user agent counts as \(name)."), "\(agent)")
                #expect(page.text.matches(of: /<section class="chosen"/).count == 1, "\(agent)")
                #expect(page.text.contains(">\(HTML.escape(agent))</textarea>"), "\(agent)")
                let lit = page.text.components(separatedBy: "<section").filter { $0.contains("lit\"") }
                #expect(lit.count == 1 && lit[0].contains(" class=\"chosen\""), "\(agent)")
            }
            let none = try await open(app, "/party?d=1&ua=")
            #expect(!none.text.contains("class=\"chosen\""))
        }
    }

    @Test func `the form keeps the link as it is, spaces and plus signs too`() async throws {
        try await run { app, _ in
            let long = "/?\(Self.link)&st=A%20%2B%20B&d=1"
            let first = try await open(app, long)
            let fields = first.text.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/)
                .map { (String($0.1), String($0.2)) }
            #expect(fields.map(\.0) == ["d", "link", "st"] && fields.last?.1 == "A + B", "\(fields)")
            let sent = fields.map { "\($0.0)=\(Self.form($0.1))" }.joined(separator: "&")
            let second = try await open(app, "/?\(sent)&ua=x")
            #expect(
                second.text.contains("<bdi>A + B</bdi>")
                    && second.text.contains("<bdi>https://example.com/party?id=7</bdi>"))
        }
    }

    @Test func `what stands in a link is text on the page`() async throws {
        try await run { app, _ in
            let page = try await open(app, "/party?d=1&x=%22%3E%3Cscript%3E&ua=%3C/textarea%3E%3Cscript%3E")
            #expect(page.status == 200 && !page.text.contains("<script") && !page.text.contains("<Party>"))
        }
    }

    @Test func `looking at it is no visit, and adds nothing to the target`() async throws {
        try await run { app, key in
            for path in ["/party?d=1", "/party?d=1&ua=iPhone&utm_source=x"] {
                let page = try await open(app, path, .android)
                #expect(
                    page.status == 200 && !page.text.contains("web?d=1") && !page.text.contains("ua=iPhone\"")
                )
            }
            #expect(try await open(app, "/party?d=1&utm_source=x").text.contains("utm_source=x"))
            let counts =
                try await app.get("/v1/links/party/stats", headers: key).json["total"] as? [String: Int]
            #expect(counts?["click"] == 0, "\(counts ?? [:])")
            try await app.verify()
        }
    }

    @Test func `only d=1 asks for it`() async throws {
        try await run { app, _ in
            for query in ["d=0", "d=2", "d", "D=1", "d=1&d=1"] {
                let answer = try await open(app, "/party?\(query)")
                #expect(
                    (answer.status, answer.headers[.location]?.hasPrefix("https://example.com/web")) == (
                        302, true
                    ), "\(query)")
            }
        }
    }

    @Test(arguments: [
        ("/?link=https%3A%2F%2Fevil.example%2F&d=1", "leads to a host that this server does not allow"),
        ("/?link=nonsense&st=%3Cb%3E&d=1", "must be an http or https URL"),
        (
            "/?link=https%3A%2F%2Fgo.example.com%2Fparty&d=1",
            "must not be a link of a domain of links itself"
        ),
        ("/?link=&d=1", "must be"),
    ])
    func `a broken link says what is wrong`(path: String, text: String) async throws {
        try await run { app, _ in
            let page = try await open(app, path)
            #expect(page.status == 400, "\(page.status)")
            #expect(
                page.text.contains("This link leads nowhere.") && page.text.contains(text), "\(page.text)")
        }
    }

    @Test func `an unknown code, and a domain without a link, are not found`() async throws {
        try await run { app, _ in
            for path in ["/nothing?d=1", "/?d=1", "/?d=1&ua=x"] {
                let answer = try await open(app, path)
                #expect(answer.status == 404, "\(path)")
            }
            let broken = try await open(app, "/party?d=1&ua=%ff")
            #expect(broken.status == 400)
        }
    }

    @Test func `odd text is text`() async throws {
        try await run { app, _ in
            for text in OddText.all.map(PercentEncoding.encode) + ["%", "%zz", "%00", "=", "&&"] {
                for path in [
                    "/party?d=1&ua=\(text)", "/party?d=1&\(text)=\(text)", "/?\(Self.link)&d=1&st=\(text)",
                    "/?link=\(text)&d=1",
                ] {
                    let status = try await open(app, path).status
                    #expect([200, 400, 404, 414].contains(status), "\(path)")
                }
            }
        }
    }

    /// The same steps decide and are drawn, so that a picture cannot say another thing.
    @Test func `the drawn way ends where visitors go, for 5,000 links and visitors`() throws {
        var (random, config) = (SeededGenerator(), AppConfig())
        (config.minimumIOS, config.minimumAndroid) = (SystemVersion(15), SystemVersion(8))
        let app = try AppListing(config)
        let values: [(LinkParameter, String)] =
            [.apn, .ibi, .ipbi, .isi, .efr, .st].map { ($0, $0 == .efr ? "1" : "7") }
            + [.afl, .al, .ifl, .ipfl, .ofl].map { ($0, "https://example.com/\($0.rawValue)") }
        let words = DeepLinkPicture.Words(
            yes: "", no: "", question: { _ in "" }, end: { "\($0)" }, manner: { "\($0)" })
        var ends: Set<String> = []
        for _ in 0..<5000 {
            var link = DeepLink(target: try WebURL("https://example.com/link"))
            for (parameter, value) in values where Bool.random(using: &random) {
                link.values[parameter] = value
            }
            let visitor = try #require(DeepLinkVisitor.allCases.randomElement(using: &random))
            var visit = visitor.visit(isInvite: Bool.random(using: &random))
            if Bool.random(using: &random) { visit.device.inAppBrowser = .line }
            if Bool.random(using: &random) { visit.device.version = SystemVersion(1) }
            #expect(visit.visitor == visitor)
            let picture = DeepLinkPicture(of: visitor, way: { visit.answer($0, link, app) }, words)
            let lit = picture.boxes.filter { $0.isLit && $0.box.look == .end }.map { $0.box.lines.joined() }
            let answer = DeepLinkDecision(to: visit, link, app)
            let end = visit.end(as: visitor, link, app)
            #expect(lit == ["\(end)"], "\(visitor) \(link)")
            ends.insert("\(visitor) \(end)")
            switch answer.way {
            case .redirect(let place), .page(let place): #expect(link.destination(end) == place)
            case .asking(let iPad, let other):
                #expect(link.destination(end) == other)
                #expect(link.destination(visit.end(as: .iPad, link, app)) == iPad)
            case .preview: #expect(end == .preview)
            }
        }
        #expect(ends.count == 5 + 4 + 5 + 1 + 2 + 2, "every end is reached: \(ends.sorted())")
    }

    @Test(arguments: [
        "iPadですか？ブラウザーが判定します。", "アプリ内ブラウザーですか？アプリ内ブラウザーですか？",
        "きゃっきゃっきゃっきゃっきゃっきゃっきゃっきゃっ", "ラーメンとブラウザーのユーザーとサーバー", "appはありますか？appはありますか？",
    ])
    func `no line begins with what belongs to the letter before`(text: String) {
        let lines = DeepLinkPicture.lines(of: text)
        #expect(lines.count > 1)
        #expect(!text.contains("ブラウザー") || lines.contains { $0.contains("ブラウザー") }, "\(lines)")
        #expect(lines.joined() == text)
        for line in lines { #expect(line.first.map { !"ー、。？！）っゃゅょ".contains($0) } == true, "\(lines)") }
    }

    @Test func `two sentences stand on a line each`() {
        let lines = DeepLinkPicture.lines(of: "iPadですか？ブラウザーが判定します。")
        #expect(lines == ["iPadですか？", "ブラウザーが判定します。"])
    }

    @Test func `the lines of a question fit into its box`() throws {
        for language in ["en", "ja", "ar"] {
            let texts = try LandingLanguages()[#require(Language(language))]
            for key in [
                LandingTexts.Key.flowHas, .flowHasStore, .flowNewEnough, .flowInApp, .flowSkipsPage,
                .flowInvite, .flowIsIPad,
            ] {
                let lines = DeepLinkPicture.lines(
                    of: texts(key, [.name: key == .flowHasStore ? "isi" : "ibi / ipbi"]))
                #expect(lines.count <= 2, "\(lines)")
            }
        }
    }
}
