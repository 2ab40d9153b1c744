import Testing

@testable import Graph
@testable import Kernel
@testable import Links
@testable import Web

/// What a deep link says, and what Firebase would have complained about.
@Suite struct DeepLinkTests {
    static let project = {
        var project = LinkedProject(targets: HostPatterns("example.com,*.example.org") ?? .none)
        project.domains = [
            LinkDomain(origin: "https://go.example.com", prefix: ""),
            LinkDomain(origin: "https://example.com", prefix: "/l"),
        ]
        (project.packages, project.bundles) = (["com.example.app"], ["com.example.app", "com.example.pad"])
        (project.schemes, project.storeID) = (["sample", "com.example.app"], "123")
        return project
    }()

    static func read(_ given: [(String, String)], isStrict: Bool = false) throws(DeepLinkError) -> (
        DeepLink, [LinkWarning]
    ) {
        try DeepLink.read(given.map { (name: $0.0, value: $0.1) }, for: project, isStrict: isStrict)
    }

    private typealias Row = (
        given: [(String, String)], warning: LinkWarning.Code?, parameter: String, kept: String?
    )
    private static let target = ("link", "https://example.com/users/ann")
    private static let android = ("apn", "com.example.app")
    private static let phone = ("ibi", "com.example.app")

    /// One row for each parameter of Firebase that holds, and for each of its warnings.
    private static let rows: [Row] = [
        ([android], nil, "apn", "com.example.app"),
        ([("apn", "com.other")], .notInProjectAndroidPackageName, "apn", nil),
        ([android, ("afl", "https://example.com/a")], nil, "afl", "https://example.com/a"),
        ([android, ("afl", "no url")], .notURIAndroidFallbackLink, "afl", nil),
        ([android, ("afl", "market://details")], .badURISchemeAndroidFallbackLink, "afl", nil),
        ([android, ("afl", "https://evil.example/")], .unspecified, "afl", nil),
        ([("ofl", "https://example.com/l/loop")], .unspecified, "ofl", nil),
        ([("ofl", "https://example.com/./l/loop")], .unspecified, "ofl", nil),
        ([("ofl", "https://example.com/x/%2E%2e/l/loop")], .unspecified, "ofl", nil),
        ([android, ("amv", "42")], nil, "amv", "42"),
        ([android, ("amv", "4.2")], .notIntegerAndroidPackageMinVersion, "amv", nil),
        ([("amv", "42")], .unnecessaryAndroidPackageMinVersion, "amv", nil),
        ([android, ("al", "https://example.com/b")], nil, "al", "https://example.com/b"),
        ([android, ("al", "nothing")], .notURIAndroidLink, "al", nil),
        ([("al", "https://example.com/b")], .unnecessaryAndroidLink, "al", nil),
        ([phone], nil, "ibi", "com.example.app"),
        ([("ibi", "com.other")], .notInProjectIOSBundleID, "ibi", nil),
        ([phone, ("ifl", "https://a.example.org/")], nil, "ifl", "https://a.example.org/"),
        ([phone, ("ifl", "//example.com")], .notURIIOSFallbackLink, "ifl", nil),
        ([phone, ("ifl", "javascript:alert(1)")], .badURISchemeIOSFallbackLink, "ifl", nil),
        ([phone, ("ius", "Sample")], nil, "ius", "sample"),
        ([phone, ("ius", "my scheme")], .unspecified, "ius", nil),
        ([phone, ("ius", "javascript")], .unspecified, "ius", nil),
        ([phone, ("ius", "tel")], .unspecified, "ius", nil),
        ([("ius", "sample")], .unnecessaryIOSURLScheme, "ius", nil),
        ([phone, ("ipfl", "https://example.com/pad")], nil, "ipfl", "https://example.com/pad"),
        ([phone, ("ipfl", "x")], .notURIIPadFallbackLink, "ipfl", nil),
        ([phone, ("ipfl", "ftp://example.com")], .badURISchemeIPadFallbackLink, "ipfl", nil),
        ([("ipbi", "com.example.pad")], nil, "ipbi", "com.example.pad"),
        ([("ipbi", "com.other")], .notInProjectIPadBundleID, "ipbi", nil),
        ([phone, ("isi", "123")], nil, "isi", "123"),
        ([phone, ("isi", "id123")], .notNumericIOSAppStoreID, "isi", nil),
        ([("isi", "123")], .unnecessaryIOSAppStoreID, "isi", nil),
        ([phone, ("isi", "124")], .notMatchingIOSBundleIDAndStoreID, "isi", nil),
        ([phone, ("imv", "2.0.1")], nil, "imv", "2.0.1"),
        ([("efr", "1")], nil, "efr", "1"),
        ([("efr", "yes")], .unspecified, "efr", nil),
        ([("ofl", "https://example.com/desk")], nil, "ofl", "https://example.com/desk"),
        ([("ofl", "desk")], .unspecified, "ofl", nil),
        ([("st", "Title")], nil, "st", "Title"),
        ([("st", String(repeating: "x", count: 2049))], .tooLongParameter, "st", nil),
        ([("sd", "花")], nil, "sd", "花"),
        ([("si", "https://anywhere.example/p.png")], nil, "si", "https://anywhere.example/p.png"),
        ([("si", "p.png")], .notURISocialImageLink, "si", nil),
        ([("si", "data:image/png,")], .badURISchemeSocialImageLink, "si", nil),
        ([("utm_source", "x")], nil, "utm_source", "x"), ([("utm_medium", "x")], nil, "utm_medium", "x"),
        ([("utm_campaign", "x")], nil, "utm_campaign", "x"), ([("utm_term", "x")], nil, "utm_term", "x"),
        ([("utm_content", "x")], nil, "utm_content", "x"),
        ([("gclid", "x")], .deprecatedParameter, "gclid", "x"),
        ([("at", "1")], nil, "at", "1"), ([("ct", "1")], nil, "ct", "1"), ([("mt", "8")], nil, "mt", "8"),
        ([("pt", "1")], nil, "pt", "1"),
        ([("d", "1")], nil, "d", nil), ([("d", "2")], .badDebugParameter, "d", nil),
        ([("ad", "2")], .badAdParameter, "ad", nil), ([("ap", "x")], .unrecognizedParameter, "ap", nil),
        ([("cid", "1")], nil, "cid", nil), ([("_icp", "1")], nil, "_icp", nil),
        ([("APN", "x")], .unrecognizedParameter, "APN", nil),
    ]

    @Test func `each parameter holds, or is left out with a warning`() throws {
        for row in Self.rows {
            let (link, warnings) = try Self.read([Self.target] + row.given)
            #expect(link.target.text == "https://example.com/users/ann")
            #expect(
                warnings.map { "\($0.code) \($0.parameter)" }
                    == (row.warning.map { ["\($0) \(row.parameter)"] } ?? []), "\(row.given)")
            #expect((warnings.first?.host != nil) == row.given.contains { $0.1.contains("evil") })
            #expect(LinkParameter(rawValue: row.parameter).flatMap { link[$0] } == row.kept, "\(row.given)")
        }
        #expect(
            Set(Self.rows.map(\.parameter)).isSuperset(
                of: LinkParameter.allCases.map(\.rawValue).filter { $0 != "link" }))
    }

    @Test func `a target is needed, of an allowed host, and no short link itself`() throws {
        let refused: [(String?, DeepLinkError)] = [
            (nil, .noTarget), ("https://example.com:99999/", .malformed("https://example.com:99999/")),
            ("nothing", .malformed("nothing")), ("myapp://x", .malformed("myapp://x")),
            ("https://evil.example/", .notAllowed(.link, "https://evil.example/")),
            ("https://example.com.evil.example/", .notAllowed(.link, "https://example.com.evil.example/")),
            (
                "https://example.com/l/?link=x", .targetIsLink(.link, "https://example.com/l/?link=x")
            ),
        ]
        for (target, error) in refused {
            #expect(throws: error, "\(target ?? "–")") { try Self.read(target.map { [("link", $0)] } ?? []) }
        }
        for target in [
            "https://example.com", "http://EXAMPLE.com:8080/x?y#z", "https://a.b.example.org/",
            "https://example.com/lx", "https://example.com/l/abc", "https://example.com/l",
        ] {
            #expect(throws: Never.self) { try Self.read([("link", target)]) }
        }
    }

    @Test(arguments: [
        ("apn", "com.example.app)", "com.example.app"), ("apn", "com.example.app.", "com.example.app"),
        ("apn", "com.example.app?utm_source=x", "com.example.app"), ("apn", "com.example.app.debug", nil),
        ("apn", "com.example.app2)", nil), ("ibi", "com.example.pad。", "com.example.pad"),
        ("efr", "1)", "1"), ("efr", "1.", "1"), ("efr", "10", nil),
    ])
    func `row 9: what stands last in a link may have something stuck to it`(
        name: String, value: String, kept: String?
    ) throws {
        let (link, warnings) = try Self.read([Self.target, (name, value)])
        #expect(LinkParameter(rawValue: name).flatMap { link[$0] } == kept, "\(value)")
        #expect(warnings.isEmpty == (kept != nil))
    }

    @Test func `who creates a link is told of a fallback that is not allowed`() {
        #expect(throws: DeepLinkError.notAllowed(.ofl, "https://evil.example/")) {
            try Self.read([Self.target, ("ofl", "https://evil.example/")], isStrict: true)
        }
    }

    @Test(arguments: [
        ("https://join.example.com/users/ann?invitedBy=u-ann", true),
        ("https://JOIN.example.com:443/users/ann", true), ("https://join.example.com/users/ann", true),
        ("http://join.example.com/users/ann", false), ("https://join.example.com:8443/users/ann", false),
        ("https://join.example.com/users/ann/qr.svg", false), ("https://join.example.com/party", false),
        ("https://join.example.com/7h2k9m4pqr5t8vwx", false),
        ("https://other.example.com/users/ann?invitedBy=u-ann", false),
        (
            "https://x.page.link/users/x?link=https%3A%2F%2Fjoin.example.com%2Fusers%2Fann%3FinvitedBy%3Du-ann",
            false
        ),
    ])
    func `only a user's link on the app's own host is an invite`(target: String, isInvite: Bool) throws {
        let link = DeepLink(target: try WebURL(target))
        #expect(link.isInvite(InviteLinks(origin: "https://join.example.com")) == isInvite)
    }

    @Test func `a target with a fragment is warned of`() throws {
        let (link, warnings) = try Self.read([("link", "https://example.com/#part")])
        #expect(link.target.text == "https://example.com/#part")
        #expect(warnings == [LinkWarning(code: .linkWithFragments, parameter: "link")])
    }

    @Test(
        arguments: [
            ([("ibi", "com.other"), ("isi", "77")], "77"), ([("ibi", "com.other"), ("isi", "123")], nil),
            ([("ibi", "com.example.app"), ("isi", "123")], "123"),
            ([("ibi", "com.example.app"), ("isi", "77")], nil),
            ([("ibi", "com.debug"), ("isi", "123")], "123"), ([("ibi", "com.debug"), ("isi", "77")], nil),
            ([("ipbi", "com.other"), ("ibi", "com.example.app"), ("isi", "77")], "77"),
        ] as [([(String, String)], String?)])
    func `the number of a further app in the App Store goes with its bundle id alone`(
        given: [(String, String)], kept: String?
    ) throws {
        var project = Self.project
        project.bundles.formUnion(["com.other", "com.debug"])
        project.otherStoreIDs = ["com.other": "77"]
        let all = ([Self.target] + given).map { (name: $0.0, value: $0.1) }
        let (link, warnings) = try DeepLink.read(all, for: project, isStrict: false)
        #expect(link[.isi] == kept)
        #expect(warnings.map(\.code) == (kept == nil ? [.notMatchingIOSBundleIDAndStoreID] : []))
    }
}

/// URLs that lead where they seem to.
@Suite struct WebURLTests {
    @Test(arguments: [
        ("https://example.com", "https://example.com", "example.com"),
        ("HTTPS://Example.COM./a", "https://Example.COM./a", "example.com"),
        ("http://example.com:80/?q=1#f", "http://example.com:80/?q=1#f", "example.com"),
        ("https://[::1]:8080/", "https://[::1]:8080/", "[::1]"),
        ("https://example.com/花 見?ü", "https://example.com/%E8%8A%B1%20%E8%A6%8B?%C3%BC", "example.com"),
        ("https://example.com/%E8%8A%B1", "https://example.com/%E8%8A%B1", "example.com"),
        ("https://example.com/\"<>", "https://example.com/%22%3C%3E", "example.com"),
    ])
    func `a URL is fit for Location, and has one host`(given: String, text: String, host: String) throws {
        let url = try WebURL(given)
        #expect((url.text, url.host) == (text, host))
    }

    @Test(arguments: [
        "", "/", "//example.com", "example.com", "javascript:alert(1)", "data:,x", "ftp://example.com",
        "https:example.com",
        "https:/example.com", " https://example.com", "myapp://example.com",
    ])
    func `another scheme is none`(text: String) {
        #expect(throws: WebURL.Fault.scheme) { try WebURL(text) }
    }

    @Test(arguments: [
        "https://", "https:///x", "https://user@example.com", "https://example.com@evil.example",
        "https://example.com\\@evil.example",
        "https://example.com/\\evil", "https://exa\tmple.com", "https://example.com/\r\nSet-Cookie: x",
        "https://example.com/\u{7F}",
        "https://example.com%2eevil.example", "https://例え.jp", "https://example..com", "https://.example.com",
        "https://example.com:99999999",
        "https://example.com:x", "https://[::1", "https://example.com,evil.example",
        "https://example.com/\(String(repeating: "a", count: 8173))",
        "https://example.com/\(String(repeating: "花", count: 909))",
    ])
    func `what browsers repair, or read in two ways, or could not send, is malformed`(text: String) {
        #expect(throws: WebURL.Fault.malformed) { try WebURL(text) }
    }
}

/// Queries of long links, as Firebase's server took them.
@Suite struct LongLinkTests {
    @Test(arguments: [
        ("link=https%3A%2F%2Fx%3Fa%3Db&apn=p", ["apn=p", "link=https://x?a=b"]),
        ("Link=https%3A%2F%2Fx", ["link=https://x"]),
        ("link=https%3A%2F%2Fx&apn=a=b", ["apn=a=b", "link=https://x"]),
        ("link=https://x?a=b&c=d&apn=p", ["apn=p", "c=d", "link=https://x?a=b"]),
        ("link=https://x?a=b==&st=a=b", ["link=https://x?a=b==", "st=a=b"]),
        ("link=1&amp;apn=p&AMP;amp;ibi=q", ["apn=p", "ibi=q", "link=1"]),
        (
            "link=a+b&ofl=c+d&st=e+f%2Bg&sd=h+i&utm_source=j+k&utm_content=l+&ct=m+n&pt=o+p",
            [
                "ct=m n", "link=a+b", "ofl=c+d", "pt=o+p", "sd=h i", "st=e f+g", "utm_content=l ",
                "utm_source=j k",
            ]
        ),
        ("link=a+b", ["link=a+b"]), ("link=%2541", ["link=%41"]),
        ("link=1&link=2", ["link=2"]), ("&&link=1&", ["link=1"]),
        ("link=1&st=%FF", ["link=1"]), ("link=1&efr", ["link=1"]),
    ])
    func `pairs are decoded once`(query: String, pairs: [String]) throws {
        let found = try #require(LongLink.parameters(query))
        #expect(found.map { "\($0.name)=\($0.value)" } == pairs)
    }

    @Test(arguments: [nil, "", "apn=x"])
    func `without a link there is none`(query: String?) {
        #expect(LongLink.parameters(query) == nil)
    }

    @Test func `a link without a value is there, and has none`() throws {
        #expect(try #require(LongLink.parameters("link")).isEmpty)
    }

    @Test(arguments: [
        ("link=https://x?a=b", true), ("LINK=https://x?a&apn=x", true), ("link=https://x&apn=a=b", false),
        ("link=https%3A%2F%2Fx%3Fa%3Db&st=a=b", false), ("link", false), ("apn=x", false),
    ])
    func `a link whose own query was not encoded is warned of`(query: String, isWarned: Bool) {
        #expect((LongLink.warning(query) != nil) == isWarned)
    }
}
