import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links

/// Who scans a QR code, from the picture to what is kept of the visit.
@Suite(.inTurns) struct ScannedLinkTests {
    private func ways(_ app: TestApp) async throws -> [String] {
        try await app.db.write.query(
            """
            SELECT event || CASE WHEN parts ~ '(^|\n)via=qr($|\n)' THEN ' by QR' ELSE '' END FROM clicks
            ORDER BY seq
            """
        ) { try $0.next() }
    }

    @Test(.enabled(if: QRDecoder.isInstalled, "needs zbarimg"), arguments: ["short", "long"])
    func `whoever scans an invite is told apart up to the store, which learns nothing of it`(form: String)
        async throws
    {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await app.signUp("ann")
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            var url = try QRDecoder.read(await app.get("/\(code)/qr.png?form=\(form)").bytes)
            #expect(url.hasSuffix("qr=1"), "\(url)")
            if form == "short" {
                let path = url.dropFirst(TestApp.origin.count)
                url = try #require(try await app.get(String(path), headers: .android).headers[.location])
            }
            #expect(url == "\(TestApp.origin)/users/ann?invitedBy=u-ann&code=\(code)&qr=1")
            for (mark, event) in [("&qr=1", "page by QR"), ("", "page")] {
                let path = String(url.dropFirst(TestApp.origin.count)).replacing("&qr=1", with: mark)
                let page = try await app.get(path, headers: .android)
                let store = try #require(page.href(containing: "/play-store")).replacing("&amp;", with: "&")
                #expect(store.hasSuffix("qr=1") == !mark.isEmpty, "\(store)")
                #expect(
                    !page.text.replacing("&amp;", with: "&").replacing(store, with: "").contains("qr=1"),
                    "only the way to the store")
                let tap = try await app.get(store, headers: .android)
                #expect(tap.headers[.location]?.hasPrefix("https://play.google.com/") == true)
                #expect(tap.headers[.location]?.contains("qr") == false)
                let own = event == "page" ? "tap" : "tap by QR"
                #expect(try await ways(app).suffix(3) == [event, event, own], "of the user, of the code")
            }
        }
    }

    @Test(.enabled(if: QRDecoder.isInstalled, "needs zbarimg"))
    func `whoever scans a deep link goes where all go, and the app claims the same link`() async throws {
        try await TestApp.run(configure: {
            TestApp.withStores(&$0)
            $0.app.linkDomains = "https://go.example.com"
        }) { app in
            let key: HTTPFields = [
                .authorization:
                    "Bearer \(try await APIKeyStore(db: app.db).create(name: "k", scope: .server))"
            ]
            let link: Body = [
                "link": "https://join.example.com/party", "apn": "com.example.app", "ibi": "com.example.app",
                "isi": "1234567890",
            ]
            let made = try await app.post(
                "/v1/links", as: nil, headers: key,
                ["parameters": link, "suffix": "custom", "code": "party"])
            try #require(made.status == 201, "\(made.text)")
            let picture = try await app.get("/links/party+/qr.png", headers: key)
            #expect(try QRDecoder.read(picture.bytes) == "https://go.example.com/party?qr=1")
            for visitor in [HTTPFields.android, .iPhone, [:]] {
                var headers = visitor
                headers[.testHost] = "go.example.com"
                for long in ["", "/?link=https%3A%2F%2Fjoin.example.com%2Fparty&apn=com.example.app"] {
                    let plain = long.isEmpty ? "/party" : long
                    let scanned = long.isEmpty ? "/party?qr=1" : "\(long)&qr=1"
                    let (one, other) = try await (
                        app.get(plain, headers: headers), app.get(scanned, headers: headers)
                    )
                    #expect(one.status == other.status && one.text == other.text, "\(scanned)")
                    #expect(one.headers[.location] == other.headers[.location], "\(scanned)")
                }
            }
            #expect(try await Set(ways(app)) == ["redirect", "redirect by QR", "page", "page by QR"])
            #expect(
                try await app.db.write.query("SELECT DISTINCT link FROM clicks ORDER BY 1") {
                    try $0.next(as: String.self)
                } == ["https://go.example.com/", "https://go.example.com/party"])
        }
    }
}
