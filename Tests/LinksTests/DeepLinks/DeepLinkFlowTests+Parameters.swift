import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Web

/// What `?d=1` says of parameters that are left out.
extension DeepLinkFlowTests {
    @Test(arguments: [
        ("apn=com.other", "is not in KITH_ANDROID_PACKAGE or KITH_ANDROID_OTHER_APPS: left out until it is"),
        ("ibi=com.other", "is not in KITH_IOS_BUNDLE_ID or KITH_IOS_OTHER_APPS: left out until it is"),
        (
            "ibi=com.example.app&isi=1",
            "is not KITH_APP_STORE_ID, or that app's storeId in KITH_IOS_OTHER_APPS"
        ),
        (
            "ibi=com.example.app&ius=other",
            "is not KITH_APP_SCHEME, a scheme in KITH_IOS_OTHER_APPS or a bundle id: left out until it is"
        ),
        ("amv=1", "says nothing without the package of an app (apn): left out"),
        ("isi=6448311069", "says nothing without the bundle id of an app (ibi or ipbi): left out"),
        (
            "ofl=https%3A%2F%2Fevil.example%2Fx",
            "leads to evil.example: left out until KITH_LINK_TARGETS has it"
        ),
        (
            "afl=https%3A%2F%2Fjoin.example.com%2Fl%2Fx",
            "is no http or https URL, or a link of a domain of links itself: left out"
        ),
        ("st=\(String(repeating: "x", count: 2049))", "has more than 2,048 bytes: left out"),
        ("efr=2", "is neither 0 nor 1: left out"), ("odd=1", "is not known: left out"),
    ])
    func `it says why a parameter is left out, and what mends it`(query: String, reason: String) async throws
    {
        try await run { app, _ in
            let page = try await open(app, "/?\(Self.link)&\(query)&d=1")
            #expect(page.status == 200 && page.text.contains(HTML.escape(reason)), "\(page.text)")
        }
    }

    @Test func `of very many unknown parameters it shows twenty, and all that are known`() async throws {
        try await run { app, _ in
            let many = (0..<300).map { "&a\($0)=1" }.joined()
            let page = try await open(app, "/?\(Self.link)&\(Self.apps)&st=T\(many)&d=1")
            #expect(page.status == 200)
            #expect(page.text.matches(of: /UNRECOGNIZED_PARAM/).count == 20)
            #expect(page.text.matches(of: /<bdi>a[0-9]+<\/bdi>|>a[0-9]+</).count == 20, "\(page.text)")
            for name in ["link", "apn", "ibi", "isi", "st"] {
                #expect(page.text.contains(">\(name)<"), "\(name)")
            }
        }
    }
}
