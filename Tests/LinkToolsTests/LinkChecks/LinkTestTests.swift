import Testing

@testable import LinkTools

/// Which rule a URL meets: the answers are those of Apple's documents and of `swcutil` of macOS 27.
@Suite struct LinkTestTests {
    private static let overview = """
        {"#": "no_universal_links", "exclude": true}, {"/": "/buy/*"}, {"/": "/help/website/*", "exclude": true}, \
        {"/": "/help/*", "?": {"articleNumber": "????"}}
        """

    /// Components, a URL, whether the app opens, and by which component.
    private static let components: [(components: String, url: String, opens: Bool, number: Int?)] = [
        (overview, "/buy/42", true, 1), (overview, "/buy/42#no_universal_links", false, 0),
        (overview, "/help/website/faq?articleNumber=4815", false, 2),
        (overview, "/help/123?articleNumber=4815", true, 3),
        (overview, "/help/123?articleNumber=481", false, nil),
        (overview, "/help/123?articleNumber=48159&a=b", false, nil), (overview, "/help/123", false, nil),
        (overview, "/elsewhere", false, nil),
        (##"{"/": "abc", "?": "def", "#": "*"}"##, "/abc?def", true, 0),
        (##"{"/": "/abc", "?": "def"}"##, "/abc", false, nil),
        (#"{"?": "a=1"}"#, "/x?a=1&b=2", false, nil), (#"{"?": {"a": "1"}}"#, "/x?a=1&b=2", true, 0),
        (#"{"?": {"b": "*"}}"#, "/x", true, 0), (#"{"?": {"b": "?*"}}"#, "/x?a=1", false, nil),
        (#"{"?": {"id": "42"}}"#, "/x?id=7&id=42", false, nil),
        (#"{"?": {"id": "7"}}"#, "/x?id=7&id=7", true, 0),
        (#"{"?": {"a": "1", "flag": true}}"#, "/x?a=2", true, 0),
        (#"{"?": {"flag": ""}}"#, "/x?flag", true, 0),
        (##"{"#": "*"}"##, "/x", true, 0), (##"{"#": "?*"}"##, "/x", false, nil),
        (##"{"#": "promo"}"##, "/a/b?c=d#promo", true, 0),
        (#"{"/": "/Help/*"}"#, "/help/1", false, nil),
        (#"{"/": "/Help/*", "caseSensitive": false}"#, "/help/1", true, 0),
        (#"{"/": "/a b", "percentEncoded": false}"#, "/a%20b", true, 0),
        (#"{"/": "/a%20b", "percentEncoded": false}"#, "/a%20b", false, nil),
        (#"{"/": "/a/b", "percentEncoded": false}"#, "/a%2Fb", true, 0),
        (#"{"/": "/a%20b"}"#, "/a%20b", true, 0),
        (#"{"/": "/$(lang)_$(region)/$(food)/"}"#, "/en_US/pizza/", true, 0), (#"{}"#, "/x", true, 0),
        (#"{"future": 1}"#, "/x", true, 0), ("", "/x", false, nil),
    ]

    private static func result(
        _ details: String, _ url: String, links: String = "", system: String? = nil
    ) throws -> LinkTest.Result {
        let text =
            #"{"applinks": {"substitutionVariables": {"food": ["pizza"]}\#(links), "details": [\#(details)]}}"#
        let report = try LinkReport.of(apple: text, android: nil, urls: ["https://join.example.com\(url)"])
        return try #require(
            report.tests.first?.results.first { system == nil || $0.systems == system }, "\(report.lines)")
    }

    private static let app = #""appIDs": ["ABCDE12345.com.example.app"]"#

    @Test(arguments: components.indices) func `the first component that a URL meets decides`(number: Int)
        throws
    {
        let (components, url, opens, index) = Self.components[number]
        let result = try Self.result(#"{\#(Self.app), "components": [\#(components)]}"#, url)
        #expect(result.opens == opens && result.rule?.place == index.map { "components[\($0)]" }, "\(url)")
    }

    @Test(arguments: [
        ("/loose/1", true), ("/strict/1", false), ("/Strict/1", true),
    ])
    func `the nearer default counts`(url: String, opens: Bool) throws {
        let details = #"""
            {\#(Self.app), "defaults": {"caseSensitive": true},
             "components": [{"/": "/Loose/*", "caseSensitive": false}, {"/": "/Strict/*"}]}
            """#
        let result = try Self.result(details, url, links: #", "defaults": {"caseSensitive": false}"#)
        #expect(result.opens == opens)
    }

    @Test func `patterns may be defaults, too`() throws {
        let details = ##"{\##(Self.app), "components": [{"#": "*"}]}"##
        for (url, opens) in [("/foo/1", true), ("/bar", false)] {
            #expect(try Self.result(details, url, links: #", "defaults": {"/": "/foo/*"}"#).opens == opens)
        }
    }

    @Test(arguments: [
        ("/wwdc/2015", true), ("/wwdc/2010/x", false), ("/else", false), ("/wwdc", true),
    ])
    func `old systems read paths, in order`(url: String, opens: Bool) throws {
        let old = #""paths": ["NOT /wwdc/2010/*", "/wwdc/*"]"#
        #expect(try Self.result(#"{\#(Self.app), \#(old)}"#, url).opens == opens)
        let both = #"{\#(Self.app), "components": [{"/": "/new"}], \#(old)}"#
        #expect(try Self.result(both, url, system: "before").opens == opens)
        #expect(try Self.result(both, url, system: "iOS 13 and later").opens == false)
    }

    @Test func `of two elements for an app the first counts`() throws {
        let details =
            #"{\#(Self.app), "components": [{"/": "/a"}]}, {\#(Self.app), "components": [{"/": "/b"}]}"#
        #expect(try Self.result(details, "/a").opens == true)
        #expect(try Self.result(details, "/b").opens == false)
    }

    @Test(arguments: [("/users/ann", true), ("/users/ann/card.jpg", false), ("/else", false)])
    func `Android 15 reads dynamic rules, and older systems the manifest`(path: String, opens: Bool) throws {
        let report = try LinkReport.of(urls: [path])
        let results = report.tests[0].results.filter { $0.app == "com.example.app" }
        #expect(results.map(\.systems) == ["Android 15 and later", "before"])
        #expect(results.map(\.opens) == [opens, nil])
    }

    @Test(arguments: [
        "",
        #""relation_extensions": {"delegate_permission/common.handle_all_urls": {"dynamic_app_link_components": []}},"#,
    ])
    func `without dynamic rules the manifest decides alone`(rules: String) throws {
        let text = LinkReport.soundAndroid.replacing(/"relation_extensions"[\s\S]*\]\}\},/, with: rules)
        let report = try LinkReport.of(android: text, urls: ["/x"])
        #expect(report.findings == [] && report.tests[0].results.last?.opens == nil)
        #expect(report.tests[0].results.last?.systems == "Android")
    }

    @Test func `the report says by which rule, and what to do next`() throws {
        let lines = try LinkReport.of(
            urls: ["https://join.example.com/users/ann?a='b'#c", "https://else.example/x"]
        ).lines
        for line in [
            "  ABCDE12345.com.example.app, iOS 13 and later: opens the app, by components[1] `/users/?*` (A user's link.)",
            "  ABCDE12345.com.example.app, before: opens the app, by paths[1] `/users/?*`",
            "  com.example.app, Android 15 and later: opens the app, by dynamic_app_link_components[1] `/users/?*`",
            "  is of another host than https://join.example.com, whose files say nothing about it",
            "0 errors, 0 warnings, 0 notes",
            "  xcrun simctl openurl booted 'https://join.example.com/users/ann?a=%27b%27#c'",
            "  adb shell pm get-app-links com.example.app",
        ] {
            #expect(lines.contains(line), "\(lines)")
        }
        #expect(
            lines.contains { $0.contains("https://app-site-association.cdn-apple.com/a/v1/join.example.com") }
        )
    }

    @Test(arguments: [
        ("https://a.example", "/", "", ""), ("HTTPS://A.example:1/b?c?d#e#f", "/b", "c?d", "e#f"),
        ("/b#?c", "/b", "", "?c"), ("https://a.example?c", "/", "c", ""),
    ])
    func `a URL has a path, a query and a fragment`(
        text: String, path: String, query: String, fragment: String
    ) throws {
        let url = try #require(TestedURL(text))
        #expect((url.path, url.query, url.fragment) == (path, query, fragment))
    }

    @Test(arguments: ["", "a", "ftp://a/b", "https://", "https://u@a/b", "https://a/花", "/a b", "https:/a"])
    func `other texts are no URLs`(text: String) {
        #expect(TestedURL(text) == nil)
    }
}
