import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Links

/// `POST /fdl/v1/shortLinks`, as clients of Firebase Dynamic Links call it.
@Suite(.inTurns) struct FirebaseLinkTests {
    private static let party = TestApp.party

    @Test func `a long link gets an unguessable code, the same again, and a preview`() async throws {
        try await TestApp.runFirebase { app, key in
            let long = TestApp.long(["link": Self.party, "apn": "com.example.app", "st": "Party"])
            let made = try await app.firebase("shortLinks", key, ["longDynamicLink": long])
            let short = try #require(made["shortLink"], "\(made.text)")
            #expect(short.wholeMatch(of: /https:\/\/go\.example\.com\/[A-Za-z0-9]{17}/) != nil, "\(short)")
            #expect(made["previewLink"] == "\(short)?d=1" && made.warnings == [] && made.status == 200)
            #expect(made.json.count == 2, "no empty list of warnings")
            let again = try await app.firebase("shortLinks", key, ["longDynamicLink": long])
            #expect(again.text == made.text)
            let parts: Body = [
                "domainUriPrefix": "https://go.example.com", "link": Self.party,
                "androidInfo": ["androidPackageName": "com.example.app"],
                "socialMetaTagInfo": ["socialTitle": "Party"],
            ]
            let same = try await app.firebase("shortLinks", key, ["dynamicLinkInfo": parts])
            #expect(same.text == made.text, "by its parts, too")
            let opened = try await app.get(
                "/\(short.split(separator: "/").last ?? "")", headers: [.testHost: "go.example.com"])
            #expect((opened.status, opened.headers[.location]) == (302, Self.party))
        }
    }

    /// Every field of `dynamicLinkInfo`, with a value that holds.
    private static let values: [LinkParameter: String] = [
        .link: party, .apn: "com.example.app", .afl: "https://example.com/a", .amv: "12",
        .al: "https://example.com/al", .ibi: "com.example.app", .ifl: "https://example.com/i", .ius: "myapp",
        .ipfl: "https://example.com/ip", .ipbi: "com.example.app", .isi: "6448311069", .imv: "1.2",
        .ofl: "https://example.com/o", .efr: "1", .st: "T", .sd: "D", .si: "https://cdn.example.org/i.png",
        .utmSource: "s", .utmMedium: "m", .utmCampaign: "c", .utmTerm: "t", .utmContent: "n", .gclid: "g",
        .at: "1", .ct: "2", .mt: "8", .pt: "3",
    ]

    private static func snake(_ path: String) -> String {
        path.replacing(/[A-Z]/) { "_\($0.output.lowercased())" }
    }

    /// The body with every field, its names written by one way, and numbers and truths as text or not.
    private static func body(_ spelling: (String) -> String, plain: Bool) throws -> Body {
        var info: [String: Any] = [spelling("domainUriPrefix"): "https://go.example.com"]
        func put(_ value: Any, _ path: ArraySlice<String>, into fields: inout [String: Any]) {
            guard let name = path.first.map(spelling) else { return }
            guard path.count > 1 else { return fields[name] = value }
            var inner = fields[name] as? [String: Any] ?? [:]
            put(value, path.dropFirst(), into: &inner)
            fields[name] = inner
        }
        for (parameter, text) in values {
            let value: Any =
                switch parameter {
                case .efr: plain ? true as Any : "true"
                case .amv, .isi, .at, .mt: plain ? Int(text) as Any : text
                default: text
                }
            put(value, parameter.path.split(separator: ".").map(String.init)[...], into: &info)
        }
        let body: [String: Any] = [spelling("dynamicLinkInfo"): info, spelling("sdkVersion"): "1.2.3"]
        return Body(
            stringLiteral: String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self))
    }

    @Test func `every field of the parts is read, in both spellings, numbers as numbers or text`()
        async throws
    {
        #expect(Set(Self.values.keys) == Set(LinkParameter.allCases))
        try await TestApp.runFirebase { app, key in
            for spelling in [{ $0 }, Self.snake] as [(String) -> String] {
                for plain in [true, false] {
                    let made = try await app.firebase(
                        "shortLinks", key, Self.body(spelling, plain: plain))
                    #expect(made.warnings == ["DEPRECATED_PARAM"], "\(made.text)")
                    let kept = try await app.parameters(of: made["shortLink"] ?? "", key)
                    #expect(kept == Dictionary(uniqueKeysWithValues: Self.values.map { ($0.rawValue, $1) }))
                }
            }
        }
    }

    @Test(arguments: [
        (#"{"option":"UNGUESSABLE"}"#, 17), (#"{"option":"SHORT"}"#, 4), ("{}", 17), ("null", 17),
        (#"{"option":"OPTION_UNSPECIFIED"}"#, 17), (#"{"option":2}"#, 4), (#"{"option":"1"}"#, 17),
        (#"{"option":"SHORT","customSuffix":""}"#, 4), (#"{"option":"CUSTOM","customSuffix":"fête"}"#, nil),
        (#"{"option":"CUSTOM","customSuffix":"summer/26_a-b"}"#, 13),
        (#"{"option":3,"custom_suffix":"abc"}"#, 3),
        (#"{"option":"CUSTOM"}"#, nil), (#"{"option":"LONG"}"#, nil), (#"{"option":4}"#, nil),
        (#"{"option":-1}"#, nil),
        (#"{"customSuffix":"abc"}"#, nil), (#"{"option":"SHORT","customSuffix":"abc"}"#, nil), ("[]", nil),
        (#"{"option":true}"#, nil),
    ])
    private func `the suffix says how the code is made`(suffix: String, length: Int?) async throws {
        try await TestApp.runFirebase { app, key in
            let long = TestApp.long(["link": Self.party])
            let made = try await app.firebase(
                "shortLinks", key, Body(stringLiteral: #"{"longDynamicLink":"\#(long)","suffix":\#(suffix)}"#)
            )
            guard let length else { return made.isFirebaseError(400, "INVALID_ARGUMENT") }
            #expect(made["shortLink"]?.count == "https://go.example.com/".count + length, "\(made.text)")
        }
    }

    @Test(arguments: [
        (#""domainUriPrefix":"https://go.example.com""#, "https://go.example.com/"),
        (#""domainUriPrefix":"https://GO.example.com/""#, "https://go.example.com/"),
        (#""domain_uri_prefix":"https://join.example.com/l""#, "https://join.example.com/l/"),
        (#""dynamicLinkDomain":"go.example.com""#, "https://go.example.com/"),
        (#""dynamic_link_domain":"go.example.com","domainUriPrefix":"""#, "https://go.example.com/"),
        (#""dynamicLinkDomain":"join.example.com/l","domainUriPrefix":null"#, "https://join.example.com/l/"),
    ])
    private func `the domain has one of two names`(domain: String, start: String) async throws {
        try await TestApp.runFirebase { app, key in
            let made = try await app.firebase(
                "shortLinks", key,
                Body(stringLiteral: #"{"dynamicLinkInfo":{\#(domain),"link":"\#(Self.party)"}}"#))
            #expect(made["shortLink"]?.hasPrefix(start) == true, "\(made.text)")
        }
    }

    /// By the query of a long link behind `link`.
    private static let warnings: [(LinkWarning.Code, String)] = [
        (.notInProjectAndroidPackageName, "apn=com.other"), (.notInProjectIOSBundleID, "ibi=com.other"),
        (.notInProjectIPadBundleID, "ipbi=com.other"),
        (.notIntegerAndroidPackageMinVersion, "apn=com.example.app&amv=1.2"),
        (.unnecessaryAndroidPackageMinVersion, "amv=12"), (.notURIAndroidLink, "apn=com.example.app&al=x"),
        (.unnecessaryAndroidLink, "al=https%3A%2F%2Fexample.com"), (.notURIAndroidFallbackLink, "afl=x"),
        (.badURISchemeAndroidFallbackLink, "afl=market%3A%2F%2Fx"), (.unnecessaryIOSURLScheme, "ius=myapp"),
        (.notNumericIOSAppStoreID, "ibi=com.example.app&isi=x"),
        (.unnecessaryIOSAppStoreID, "isi=6448311069"),
        (.notURIIOSFallbackLink, "ifl=x"), (.badURISchemeIOSFallbackLink, "ifl=itms%3A%2F%2Fx"),
        (.notURIIPadFallbackLink, "ipfl=x"), (.badURISchemeIPadFallbackLink, "ipfl=itms%3A%2F%2Fx"),
        (.badDebugParameter, "d=2"), (.badAdParameter, "ad=x"), (.deprecatedParameter, "gclid=x"),
        (.unrecognizedParameter, "nonsense=1"),
        (.tooLongParameter, "st=\(String(repeating: "x", count: 2049))"),
        (.notURISocialImageLink, "si=x"), (.badURISchemeSocialImageLink, "si=data%3Ax"),
        (.linkWithFragments, "st=x#part"), (.notMatchingIOSBundleIDAndStoreID, "ibi=com.example.app&isi=1"),
        (.unspecified, "ofl=x"),
    ]

    @Test func `every warning comes with a text, and the link is made without the parameter`() async throws {
        #expect(Set(Self.warnings.map(\.0)) == Set(LinkWarning.Code.allCases))
        try await TestApp.runFirebase { app, key in
            for (code, query) in Self.warnings {
                let made = try await app.firebase(
                    "shortLinks", key, ["longDynamicLink": "\(TestApp.long(["link": Self.party]))&\(query)"])
                #expect(made.warnings == [code.rawValue], "\(code): \(made.text)")
                let warning = (made.json["warning"] as? [[String: String]])?.first ?? [:]
                #expect(warning["warningMessage"]?.isEmpty == false, "\(code)")
                #expect(warning["warningDocumentLink"]?.hasPrefix("https://") == true, "\(code)")
                #expect(made["shortLink"]?.isEmpty == false, "\(code)")
            }
        }
    }

    @Test func `a link with a fragment inside warns once`() async throws {
        try await TestApp.runFirebase { app, key in
            let made = try await app.firebase(
                "shortLinks", key, ["longDynamicLink": "\(TestApp.long(["link": "\(Self.party)#a"]))#b"])
            #expect(made.warnings == ["LINK_WITH_FRAGMENTS"])
            let kept = try await app.parameters(of: made["shortLink"] ?? "", key)
            #expect(kept["link"] == "\(Self.party)#a")
        }
    }

    private static let noDomain =
        "Invalid Dynamic Link domain: '' or Domain Uri Prefix: ''. Expecting exactly one. "
        + "Dynamic Link Domain isPresent = false, Domain Uri Prefix isPresent = false"
    private static let info = #""link":"\#(party)","domainUriPrefix":"https://go.example.com""#

    @Test(arguments: [
        ("{}", noDomain), (#"{"dynamicLinkInfo":{}}"#, noDomain),
        (#"{"dynamicLinkInfo":{"link":"\#(party)"}}"#, noDomain),
        (
            #"{"dynamicLinkInfo":{\#(info),"dynamicLinkDomain":"go.example.com"}}"#,
            "Invalid Dynamic Link domain: 'go.example.com' or Domain Uri Prefix: 'https://go.example.com'. "
                + "Expecting exactly one. Dynamic Link Domain isPresent = true"
        ),
        (
            #"{"dynamicLinkInfo":{"link":"\#(party)","domainUriPrefix":"https://other.page.link"}}"#,
            "Your project does not own Dynamic Links domain: https://other.page.link"
        ),
        (
            #"{"dynamicLinkInfo":{"link":"\#(party)","domainUriPrefix":"http://go.example.com"}}"#,
            "Your project does not own Dynamic Links domain: http://go.example.com"
        ),
        (
            #"{"dynamicLinkInfo":{"link":"\#(party)","dynamicLinkDomain":"join.example.com"}}"#,
            "Your project does not own Dynamic Links domain: join.example.com"
        ),
        (
            #"{"longDynamicLink":"https://other.page.link/?link=x"}"#,
            "Your project does not own Dynamic Links domain: other.page.link"
        ),
        (#"{"longDynamicLink":"nonsense"}"#, "Long link is not parsable: nonsense"),
        (
            #"{"longDynamicLink":"https://go.example.com/"}"#,
            "Long link is not parsable: https://go.example.com/"
        ),
        (
            #"{"longDynamicLink":"https://go.example.com/a?link=https%3A%2F%2Fexample.com"}"#,
            "Long link is not parsable: https://go.example.com/a?"
        ),
        (
            #"{"longDynamicLink":"https://go.example.com/?link=mailto:x"}"#,
            "Long link is not parsable: mailto:x"
        ),
        (
            #"{"longDynamicLink":"https://go.example.com/?link=https%3A%2F%2Fgo.example.com%2F%3Flink%3Dx"}"#,
            "Long link is not parsable: https://go.example.com/?link=x. It must not be a Dynamic Link itself."
        ),
        (
            #"{"longDynamicLink":"https://go.example.com/?link=https%3A%2F%2Fjoin.example.com%2Fl%3Flink%3Dx"}"#,
            "Long link is not parsable: https://join.example.com/l?link=x"
        ),
        (
            #"{"longDynamicLink":"https://go.example.com/?link=https%3A%2F%2Fevil.example"}"#,
            "We could not match param 'https://evil.example' with whitelisted URL patterns in this Google project."
        ),
        (
            #"{"dynamicLinkInfo":{\#(info),"desktopInfo":{"desktopFallbackLink":"https://evil.example/x"}}}"#,
            "We could not match param 'https://evil.example/x' with whitelisted URL patterns in this Google project."
        ),
        (
            #"{"dynamicLinkInfo":{"domainUriPrefix":"https://go.example.com"}}"#,
            "Long link is not parsable: dynamicLinkInfo.link must be there"
        ),
        (
            #"{"longDynamicLink":"https://go.example.com/?link=x","dynamicLinkInfo":{\#(info)}}"#,
            "`longDynamicLink`"
        ),
        (#"{"longDynamicLink":"x","long_dynamic_link":"x"}"#, "`longDynamicLink` is given twice"),
        (#"{"longDynamicLink":"x","longDynamicLink":"x"}"#, "`longDynamicLink` is given twice"),
        (#"{"longDynamicLink":["x"]}"#, "`longDynamicLink` must be a text"),
        (#"{"dynamicLinkInfo":"x"}"#, "`dynamicLinkInfo` must be an object"),
        (
            #"{"dynamicLinkInfo":{\#(info),"iosInfo":{"iosBundleId":true}}}"#,
            "`dynamicLinkInfo.iosInfo.iosBundleId` must be a text"
        ),
        (
            #"{"dynamicLinkInfo":{\#(info),"navigationInfo":{"enableForcedRedirect":"yes"}}}"#,
            "`dynamicLinkInfo.navigationInfo.enableForcedRedirect` must be true or false"
        ),
    ])
    private func `what cannot be made is a 400 with Google's text`(body: String, message: String) async throws
    {
        try await TestApp.runFirebase { app, key in
            try await app.firebase("shortLinks", key, Body(stringLiteral: body)).isFirebaseError(
                400, "INVALID_ARGUMENT", message)
            #expect(try await app.count("links") == 0)
        }
    }

    @Test func `what Google's messages do not have is ignored`() async throws {
        try await TestApp.runFirebase { app, key in
            let made = try await app.firebase(
                "shortLinks", key,
                Body(
                    stringLiteral:
                        #"{"dynamicLinkInfo":{\#(Self.info),"x":[{"y":null}],"iosInfo":{"z":1e3}},"sdkVersion":{},"1":[]}"#
                ))
            #expect(made.status == 200, "\(made.text)")
        }
    }
}
