import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Web

/// Codes that operators load and deal by calls.
@Suite(.inTurns) struct OfferOperatorTests {
    private static let codes = "/v1/admin/offers/spring/codes"
    private static let deals = "/v1/admin/offers/spring/deals"

    private func load(_ stage: OfferStage, _ codes: String, expires: String? = "2099-03-31") async throws
        -> TestApp.Answer
    {
        try await stage.app.call(
            .post, Self.codes, headers: stage.admin, body: ["codes": codes, "expires": expires])
    }

    @Test func `a call loads the valid codes of a file, and says of the other lines why`() async throws {
        try await OfferStage.run { stage in
            let file = "code\r\nabcd1234\r\nEFGH5678\r\nABCD1234\r\nx\r\n"
            let loaded = try await load(stage, file)
            #expect(loaded.status == 200 && loaded["lines"] == "4" && loaded["imported"] == "2")
            #expect(loaded["findings.0.reason"] == "duplicate" && loaded["findings.0.lines.0"] == "4")
            #expect(loaded["findings.1.reason"] == "offer_code" && loaded["findings.1.lines.0"] == "5")
            #expect(!loaded.text.uppercased().contains("ABCD1234"), "\(loaded.text)")
            let again = try await load(stage, file)
            #expect(again["imported"] == "0" && again["findings.0.reason"] == "already", "\(again.text)")
            #expect(try await stage.pool() == "free 2, dealt 0, stale 0, expiring 0")
            let plain = "offer_codes WHERE encode(sealed, 'escape') LIKE '%ABCD1234%'"
            #expect(try await stage.app.count(plain) == 0)
            #expect(try await stage.app.count("audit WHERE act = 'load_offer_codes'") == 2)
        }
    }

    @Test func `codes that cannot be read are refused with the field, and a large file with 413`()
        async throws
    {
        try await OfferStage.run { stage in
            let wrong: [(codes: String, expires: String?, field: String)] = [
                ("ABCD1234", "2020-01-01", "expires"), ("ABCD1234", "soon", "expires"),
                (String(repeating: "A", count: 2000), nil, "codes"),
            ]
            for (codes, expires, field) in wrong {
                let answer = try await load(stage, codes, expires: expires)
                #expect((answer.status, answer["field"]) == (400, field), "\(answer.text)")
            }
            let none = try await load(stage, "ABCD1234", expires: nil)
            #expect(none["findings.0.reason"] == "offer_expiry", "\(none.text)")
            let large = try await load(stage, String(repeating: "ABCD1234\n", count: 400_000))
            #expect((large.status, large.code) == (413, "body_too_large"))
            let unknown = try await stage.app.call(
                .post, "/v1/admin/offers/none/codes", headers: stage.admin, body: ["codes": "ABCD1234"])
            #expect((unknown.status, unknown.code) == (404, "campaign_not_found"))
            #expect(try await stage.pool() == "free 0, dealt 0, stale 0, expiring 0")
        }
    }

    @Test func `codes are dealt to a list of users, once each, and the audit says to whom`() async throws {
        try await OfferStage.run(codes: ["ABCD1234", "EFGH5678"]) { stage in
            for name in ["ann", "bob", "cat"] { try await stage.app.signUp(name) }
            let own = try #require(try await stage.deal("u-ann")["code"])
            let users: Body = ["uids": ["u-ann", "u-bob", "u-bob", "u-cat", "=u-none"]]
            let dealt = try await stage.app.call(.post, Self.deals, headers: stage.admin, body: users)
            #expect(dealt.status == 200 && dealt.headers[.cacheControl] == "no-store", "\(dealt.text)")
            #expect(dealt["deals.0.code"] == own && dealt["deals.0.isNew"] == "0")
            #expect(dealt["deals.1.code"] != nil && dealt["deals.1.isNew"] == "1")
            #expect(dealt["deals.2.uid"] == "u-cat" && dealt["deals.2.problem"] == "campaign_empty")
            #expect(dealt["deals.3.problem"] == "user_not_found" && dealt["deals.4.uid"] == nil)
            let acts = "audit WHERE act = 'deal_offer' AND details LIKE '%spring%'"
            #expect(try await stage.app.count(acts) == 2)

            let table = try await stage.app.call(
                .post, "\(Self.deals)?format=csv", headers: stage.admin, body: users)
            #expect(table.headers[.contentType] == "text/csv; charset=utf-8", "\(table.text)")
            #expect(table.text.hasPrefix("uid,code,url,expires_at,problem\r\nu-ann,\(own),https://apps."))
            #expect(table.text.contains("\r\n'=u-none,,,,user_not_found\r\n"))
            #expect(try await stage.pool() == "free 0, dealt 2, stale 0, expiring 0")
        }
    }
}
