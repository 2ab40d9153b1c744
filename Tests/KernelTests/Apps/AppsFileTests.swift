import Foundation
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// What the file of `kith apply` may say.
@Suite struct AppsFileTests {
    private func read(_ yaml: String) -> Result<AppliedApps, ConfigError> {
        do {
            let file = try AppsFile(yaml: yaml, folder: RepositoryFile.root, config: Config())
            return .success(file.sections[AppliedApps.self] ?? AppliedApps())
        } catch {
            return .failure(error as? ConfigError ?? ConfigError(mistakes: ["\(error)"]))
        }
    }

    private func mistakes(_ yaml: String) -> [String] {
        if case .failure(let error) = read(yaml) { error.mistakes } else { [] }
    }

    /// An app with these lines, and a host.
    private static func app(_ lines: String...) -> String {
        "apps:\n  a:\n    hosts: [https://a.example]\n" + lines.map { "    \($0)\n" }.joined()
    }

    private static let tooMany: String = {
        let apps = (0...20).map { "a\($0): {hosts: [https://a\($0).example]}" }
        return "apps: {\(apps.joined(separator: ", "))}"
    }()

    private static let long = String(repeating: "x", count: 101)

    private static let rules: [(String, String)] = [
        ("", "the file is empty"), ("- a", "line 1: the file must be a table of fields"),
        ("app: {}", "line 1: app is not a section"), ("{", "the file is not YAML"),
        ("apps: 1", "line 1: apps must be a table"), ("apps:\n  a: 1", "line 2: apps.a must be a table"),
        ("apps:\n  a: {}\n  a: {}", "the file is not YAML"),
        ("apps:\n  a: {}", "line 2: apps.a.hosts is missing"),
        (
            "apps:\n  a: {hosts: [https://a.example/x]}",
            "line 2: apps.a.hosts: 'https://a.example/x' is not allowed"
        ),
        (
            "apps:\n  a:\n    hosts: [https://*.example]",
            "line 3: apps.a.hosts: 'https://*.example' is not allowed"
        ),
        (
            "apps:\n  a: {hosts: [https://münchen.example]}",
            "line 2: apps.a.hosts: 'https://münchen.example' is not"
        ),
        (
            "apps:\n  a:\n    hosts: [https://a.example]\n    ios:\n      storeId: x",
            "line 5: apps.a.ios.storeId: 'x' is"
        ),
        ("apps:\n  a: {hosts: [ftp://a.example]}", "line 2: apps.a.hosts: 'ftp://a.example' is not allowed"),
        ("apps:\n  a: {hosts: [{}]}", "line 2: apps.a.hosts must be a list of at most 100 texts"),
        ("apps:\n  standard: {hosts: [https://a.example]}", "line 2: apps.standard: the key must be"),
        ("apps:\n  A b: {hosts: [https://a.example]}", "line 2: apps.A b: the key must be"),
        (app("nam: x"), "line 4: apps.a.nam is not a field: did you mean name?"),
        (app("ios: {team: x}"), "line 4: apps.a.ios.team is not a field: did you mean ios.teamId?"),
        (app("ios: x"), "line 4: apps.a.ios must be a table of fields"),
        (app("name: [x]"), "line 4: apps.a.name must be a text"),
        (app("name: " + long), "line 4: apps.a.name: 'xxx"),
        (app("scheme: javascript"), "line 4: apps.a.scheme: 'javascript' is not allowed"),
        (app("ios: {teamId: ABCDE12345}"), "line 4: apps.a.ios.teamId is set, but apps.a.ios.bundleId"),
        (app("ios: {otherApps: [x.y]}"), "line 4: apps.a.ios.otherApps: 'x.y' is not allowed"),
        (app("ios: {appClips: [x]}"), "line 4: apps.a.ios.appClips: 'x' is not allowed"),
        (app("ios: {storeId: x}"), "line 4: apps.a.ios.storeId: 'x' is not allowed"),
        (app("ios: {minimum: x}"), "line 4: apps.a.ios.minimum: 'x' is not allowed"),
        (app("android: {package: a b}"), "line 4: apps.a.android.package: 'a b' is not allowed"),
        (
            app("android: {package: a.b, fingerprints: [x]}"),
            "line 4: apps.a.android.fingerprints: 'x' is not allowed"
        ),
        (app("ios: {otherApps: [{id: x.y}]}"), "line 4: apps.a.ios.otherApps: 'x.y' is not allowed"),
        (app("ios: {otherApps: [{storeId: 1}]}"), "line 4: apps.a.ios.otherApps must be a list"),
        (
            app("ios: {otherApps: [{id: ABCDE12345.a.b, shop: 1}]}"),
            "line 4: apps.a.ios.otherApps.shop is not a field"
        ),
        (
            app("ios:", "  otherApps:", "    - ABCDE12345.a.b", "    - {id: ABCDE12345.a.c, storeID: 1}"),
            "line 7: apps.a.ios.otherApps.storeID is not a field: did you mean storeId?"
        ),
        (
            app("schemeUrls: [{path: /h/*, ulr: 'x://h/*'}]"),
            "line 4: apps.a.schemeUrls.ulr is not a field: did you mean url?"
        ),
        (
            app("ios: {otherApps: [ABCDE12345.a.b, {id: ABCDE12345.a.b, storeId: 1}]}"),
            "line 4: apps.a.ios.otherApps: 'ABCDE12345.a.b' is an app of apps.a already"
        ),
        (
            app("ios: {teamId: ABCDE12345, bundleId: a.b, otherApps: [ABCDE12345.a.b]}"),
            "line 4: apps.a.ios.otherApps: 'ABCDE12345.a.b' is an app of apps.a already"
        ),
        (
            app("ios: {otherApps: [{id: ABCDE12345.a.b, storeId: x}]}"),
            "line 4: apps.a.ios.otherApps: 'ABCDE12345.a.b storeId=x' is not allowed"
        ),
        (
            app("ios: {otherApps: [{id: ABCDE12345.a.b, scheme: javascript}]}"),
            "line 4: apps.a.ios.otherApps: 'ABCDE12345.a.b scheme=javascript' is not allowed"
        ),
        (
            app("ios: {appClips: [ABCDE12345.a.b storeId=1]}"),
            "line 4: apps.a.ios.appClips: 'ABCDE12345.a.b storeId=1' is"
        ),
        (app("schemeUrls: [/h/*]"), "line 4: apps.a.schemeUrls: '/h/*' is not allowed"),
        (
            app("schemeUrls: [{path: /h, url: 'x://*'}]"),
            "line 4: apps.a.schemeUrls: '/h url=x://*' is not allowed"
        ),
        (
            app("schemeUrls: [{path: /h/*, url: 'x://h/*'}]"),
            "line 4: apps.a.schemeUrls: 'x' is neither apps.a.scheme nor"
        ),
        (app("android: {otherApps: [a.b]}"), "line 4: apps.a.android.otherApps: 'a.b' is not allowed"),
        (app("storeFirst: perhaps"), "line 4: apps.a.storeFirst: 'perhaps' is not allowed"),
        (app("icon: README.md"), "line 4: apps.a.icon: 'data:image/png;base64,' is not a PNG"),
        (app("icon: no.png"), "line 4: apps.a.icon cannot be read: 'no.png'"),
        (app("privacyUrl: javascript:x"), "line 4: apps.a.privacyUrl: 'javascript:x' is not allowed"),
        (
            app() + "  b:\n    hosts: [https://A.example:443]",
            "line 5: apps.b.hosts: 'https://A.example:443' is a host of apps.a, too"
        ),
        (
            app("android: {package: a.b}") + "  b: {hosts: [https://b.example], android: {package: a.b}}",
            "line 5: apps.b.android: 'a.b' is an app of apps.a, too"
        ),
        (
            app("linkDomains: [https://go.example]")
                + "  b: {hosts: [https://b.example], linkDomains: [https://GO.example:443/l]}",
            "line 5: apps.b.linkDomains: 'https://go.example/l' is on a host of apps.a, too"
        ),
        (
            app() + "  b: {hosts: [https://b.example], linkDomains: [https://a.example/l]}",
            "line 4: apps.b.linkDomains: 'https://a.example/l' is on a host of apps.a, too"
        ),
        (
            app("linkDomains: [https://go.example, https://go.example:8443/l/, http://go.example/l]"),
            "line 4: apps.a.linkDomains: 'http://go.example/l' is not allowed: its host and path are those of another one"
        ),
        (
            app("linkDomains: [http://127.0.0.1:8080/l]"),
            "line 4: apps.a.linkDomains: 'http://127.0.0.1:8080/l' is on a host of the app of the settings, too"
        ),
        (
            "apps: {" + (0...20).map { "a\($0): {hosts: [https://a\($0).example]}" }.joined(separator: ", ")
                + "}",
            "apps has more than 20 apps"
        ),
    ]

    @Test(arguments: rules)
    func `a mistake is named in the words of the file`(yaml: String, mistake: String) {
        let found = mistakes(yaml)
        #expect(found.count == 1 && found.first?.hasPrefix(mistake) == true, "\(found)")
        #expect(!"\(found)".contains("KITH_"))
    }

    @Test func `no app takes the host of the links of the settings' app`() throws {
        var config = Config()
        config.app.linkDomains = "https://go.example,https://join.example/l"
        for (host, isRefused) in [
            ("https://GO.example:443", true), ("https://join.example", true), ("https://x.example", false),
        ] {
            let yaml = "apps: {a: {hosts: ['\(host)']}}"
            let found = (try? AppsFile(yaml: yaml, folder: URL(filePath: "/tmp"), config: config)) == nil
            #expect(found == isRefused, "\(host)")
        }
    }

    @Test func `all mistakes are named at once`() {
        #expect(mistakes(Self.app("nam: x", "scheme: {}", "icon: no.png")).count == 3)
    }

    @Test(arguments: ["[", "a: &a [*a, *a]\n", "{a: "]) func `hostile nesting ends in a mistake`(part: String)
    {
        #expect(!mistakes(String(repeating: part, count: 10_000)).isEmpty)
    }

    @Test func `what is printed is the same file`() throws {
        let apps = try read(RepositoryFile.read("docs/apps.example.yaml")).get()
        #expect(apps.apps.count > 1)
        let printed = try AppsFile.yaml(of: AppliedSections([apps]))
        #expect(try read(printed).get() == apps)
        #expect(try apps.changes(to: read(printed).get()) == [])
    }

    @Test func `the example has every field`() throws {
        let apps = try read(RepositoryFile.read("docs/apps.example.yaml")).get()
        let used = Set(apps.apps.values.flatMap(\.fields.keys))
        #expect(Set(AppField.all.map(\.name)).subtracting(used) == ["icon"])
    }

    @Test func `a change is a line a field`() throws {
        let old = AppliedApps(apps: [
            "a": AppliedApp(hosts: ["https://a.example"], fields: ["name": "A", "tagline": "x"]),
            "b": AppliedApp(hosts: ["https://b.example"], fields: [:]),
        ])
        let new = AppliedApps(apps: [
            "a": AppliedApp(
                hosts: ["https://a.example"], fields: ["name": "B", "icon": "data:image/png;base64,AAAA"])
        ])
        #expect(
            old.changes(to: new) == [
                "+ apps.a.icon: data:image/png, 1 KiB, \(ETag.hash("data:image/png;base64,AAAA".utf8))",
                "~ apps.a.name: A → B", "- apps.a.tagline: x", "- apps.b.hosts: https://b.example",
            ])
    }
}
