import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// Codes of campaigns at the console.
@Suite(.inTurns) struct OfferCodePageTests {
    private static let page = "/offer-codes/spring"

    private func run(_ test: @escaping @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: {
            TestApp.withConsole(&$0)
            $0.secretsKey = SecretsKey(Data(repeating: 7, count: 32).base64EncodedString())
        }) { app in
            let ann = try await app.signIn("ann@example.com", [.growth])
            let campaign: Body = ["appStoreId": "123456789", "offer": "Spring 2027"]
            let made = try await app.call(
                .put, "/v1/admin/offers/spring", headers: app.keyed(), body: campaign)
            try #require(made.status == 201, "\(made.text)")
            try await test(app, ann)
        }
    }

    @Test func `a page says that no code was loaded, and leads back`() async throws {
        try await run { app, ann in
            let loaded = try await app.submit("/offer-codes/spring", "load", ["codes": "a\nb\n"], as: ann)
            #expect(loaded.status == 200 && loaded.text.contains("No code was loaded"), "\(loaded.text)")
            #expect(loaded.text.contains(">Load lines again<"))
        }
    }

    @Test func `codes are loaded, none is shown, and each line that is refused is named`() async throws {
        try await run { app, ann in
            let loaded = try await app.submit(
                Self.page, "load", ["codes": "QRST1234\nEFGH5678\nx y", "expires": "2099-03-31"], as: ann)
            #expect(loaded.status == 200 && loaded.text.contains("The codes are loaded"), "\(loaded.text)")
            #expect(loaded.text.contains("is not 4 to 64 letters and digits") && loaded.text.contains(">3<"))
            #expect(!loaded.text.contains("QRST1234"))
            let shown = try await app.get(Self.page, headers: ann).text
            #expect(shown.contains("<strong>2</strong>") && !shown.contains("QRST1234"))
            #expect(try await app.get("/rewards", headers: ann).text.contains("href=\"/offer-codes/spring\""))
            let wrong = try await app.submit(
                Self.page, "load", ["codes": "QRST1234", "expires": "2020-01-01"], as: ann)
            #expect(wrong.status == 400 && wrong.text.contains("field-expires-mistake"), "\(wrong.text)")
        }
    }

    @Test func `codes are dealt to a list of users as a file`() async throws {
        try await run { app, ann in
            try await app.signUp("ann")
            _ = try await app.submit(
                Self.page, "load", ["codes": "QRST1234", "expires": "2099-03-31"], as: ann)
            let file = try await app.submit(Self.page, "deal", ["uids": "u-ann\r\n\r\n u-none "], as: ann)
            #expect(file.headers[.contentType] == "text/csv; charset=utf-8", "\(file.text)")
            #expect(
                file.headers[.contentDisposition] == "attachment; filename=\"offer-codes_spring.csv\"")
            #expect(file.text.contains("u-ann,QRST1234,") && file.text.contains("u-none,,,,user_not_found"))
            #expect(try await app.count("audit WHERE actor = 'person:ann@example.com'") == 3)
        }
    }

    @Test func `a viewer sees how many codes there are, and no form`() async throws {
        try await run { app, _ in
            let ben = try await app.signIn("ben@example.com", [.viewer])
            let page = try await app.get(Self.page, headers: ben)
            #expect(page.status == 200 && !page.text.contains("<textarea"), "\(page.text)")
            #expect(try await app.get("/offer-codes/none", headers: ben).status == 404)
        }
    }
}
