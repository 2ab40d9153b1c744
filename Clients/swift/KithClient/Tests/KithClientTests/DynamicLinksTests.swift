import KithClient
import KithDynamicLinks
import XCTest

/// The calls of Firebase's SDK.
final class DynamicLinksTests: XCTestCase {
    private func url(_ text: String) throws -> URL { try XCTUnwrap(URL(string: text)) }

    override func setUp() async throws {
        let base = try url("https://join.example.com")
        DynamicLinks.kith = KithClient(
            baseURL: base, links: .init(linkURL: base, schemes: ["myapp"]), storage: MemoryStorage()
        ) { _ in "" }
    }

    func testAUniversalLinkIsHandledAndKept() async throws {
        let told = expectation(description: "the completion is called")
        let wrapped = try url(
            "https://x.page.link/?link=https%3A%2F%2Fjoin.example.com%2Fusers%2Fann%3FinvitedBy%3Du-1&ibi=a.b"
        )
        let link = try url("https://join.example.com/users/ann?invitedBy=u-1")
        let isOurs = DynamicLinks.dynamicLinks().handleUniversalLink(wrapped) { dynamicLink, error in
            XCTAssertEqual(dynamicLink?.url, link)
            XCTAssertEqual(dynamicLink?.matchType, .unique)
            XCTAssertNil(error)
            told.fulfill()
        }
        XCTAssertTrue(isOurs)
        await fulfillment(of: [told], timeout: 5)
        let invite = try await DynamicLinks.kith?.pendingInvite()
        XCTAssertEqual(invite, .link(link))
    }

    func testOtherLinksAreNotHandled() throws {
        let links = DynamicLinks.dynamicLinks()
        XCTAssertFalse(
            links.handleUniversalLink(try url("https://example.org/")) { _, _ in XCTFail("not ours") })
        XCTAssertNil(links.dynamicLink(fromCustomSchemeURL: try url("myapp://google/link/?dismiss=1")))
        XCTAssertEqual(
            links.dynamicLink(fromCustomSchemeURL: try url("myapp://users/ann"))?.url,
            try url("https://join.example.com/users/ann"))
    }

    func testWhatADeepLinksPageOpensIsRead() async throws {
        let opened = try url(
            "myapp://google/link/?deep_link_id=https%3A%2F%2Fexample.com%2Fparty&match_type=unique")
        let page = try url("https://example.com/party")
        XCTAssertEqual(DynamicLinks.dynamicLinks().dynamicLink(fromCustomSchemeURL: opened)?.url, page)
        let link = try await DynamicLinks.kith?.deepLink(opened)
        XCTAssertEqual(link?.target, page)
        let none = DynamicLinks.dynamicLinks().dynamicLink(fromUniversalLink: page)
        XCTAssertNil(none)
    }

    func testALinkOnAHostOfDeepLinksIsAskedForAtTheServer() throws {
        let links = DynamicLinks.dynamicLinks()
        XCTAssertTrue(links.matchesShortLinkFormat(try url("https://x.page.link/KPo2")))
        XCTAssertFalse(links.matchesShortLinkFormat(try url("https://example.org/KPo2")))
        XCTAssertFalse(links.matchesShortLinkFormat(try url("myapp://google/link/?dismiss=1")))
    }

    func testALongLinkIsAsFirebasesSDKWroteIt() throws {
        let deep = try url("https://join.example.com/users/ann?invitedBy=u-1")
        XCTAssertNil(DynamicLinkComponents(link: deep, domainURIPrefix: "http://x.page.link"))
        let parts = try XCTUnwrap(DynamicLinkComponents(link: deep, domainURIPrefix: "https://x.page.link"))
        parts.iOSParameters = DynamicLinkIOSParameters(bundleID: "com.example.app")
        parts.iOSParameters?.appStoreID = "1234"
        parts.androidParameters = DynamicLinkAndroidParameters(packageName: "com.example.app")
        parts.androidParameters?.minimumVersion = 7
        parts.socialMetaTagParameters = DynamicLinkSocialMetaTagParameters()
        parts.socialMetaTagParameters?.title = "A & B"
        parts.navigationInfoParameters = DynamicLinkNavigationInfoParameters()
        parts.navigationInfoParameters?.isForcedRedirectEnabled = true
        let built = try XCTUnwrap(parts.url)
        XCTAssertEqual(
            built.absoluteString,
            "https://x.page.link/?amv=7&apn=com%2Eexample%2Eapp&efr=1&ibi=com%2Eexample%2Eapp&isi=1234"
                + "&link=https%3A%2F%2Fjoin%2Eexample%2Ecom%2Fusers%2Fann%3FinvitedBy%3Du%2D1&st=A%20%26%20B")
        XCTAssertEqual(DynamicLinks.kith?.link(in: built), deep)
    }
}
