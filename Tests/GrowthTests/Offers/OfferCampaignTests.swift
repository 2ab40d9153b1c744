import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Growth
@testable import Imports
@testable import Kernel
@testable import Kith

/// What operators do with campaigns, and imports of their codes.
@Suite(.inTurns) struct OfferCampaignTests {
    @Test func `an operator creates a campaign, changes it, and sees how many codes it has`() async throws {
        try await OfferStage.run { stage in
            let answer = try await stage.put(lowWater: 5, quarterBudget: 70)
            #expect(answer.status == 200 && answer["environment"] == "production")
            #expect(answer["codes.free"] == "0" && answer["quarterBudget"] == "70")
            #expect(try await stage.put(key: "autumn").status == 201)
            let all = try await stage.app.get("/v1/admin/offers", headers: stage.admin)
            let keys = (all.json["campaigns"] as? [[String: Any]])?.compactMap { $0["key"] as? String }
            #expect(keys == ["autumn", "spring"])
            let acts = try await stage.app.get("/v1/admin/audit", headers: stage.admin)
            #expect(acts["acts.0.act"] == "publish" && acts["acts.0.details.items"] == "offers.autumn")
        }
    }

    @Test func `a campaign with codes stays one of its app, offer and environment`() async throws {
        try await OfferStage.run(codes: ["ABCD1234"]) { stage in
            for answer in [
                try await stage.put(appStoreID: "987"), try await stage.put(offer: "Autumn"),
                try await stage.put(environment: "sandbox"),
            ] {
                #expect((answer.status, answer.code) == (409, "campaign_has_codes"))
            }
            #expect(try await stage.put(lowWater: 1).status == 200)
        }
    }

    @Test func `an import takes each code once, encrypted, and names the lines that it refuses`() async throws
    {
        try await OfferStage.run { stage in
            let url = "https://apps.apple.com/redeem?ctx=offercodes&id="
            let file = """
                ABCD1234,\(url)123456789&code=ABCD1234\r
                EFGH5678,\(url)123456789&code=EFGH5678\r
                IJKL9012,\(url)999999999&code=IJKL9012\r
                MNOP3456,\(url)123456789&code=ABCD1234\r
                ABCD1234,\(url)123456789&code=ABCD1234\r
                """
            let report = try await stage.importFile(file)
            #expect(
                report.description == """
                    5 lines, 2 imported
                      unchanged  1 duplicate (line 5)
                      refused    1 URL has another code (line 4)
                      refused    1 URL is of another app than the campaign (line 3)
                    """)
            #expect(try await stage.importFile(file).imported == 0)
            let stored = try await stage.app.db.read.query("SELECT encode(sealed, 'escape') FROM offer_codes")
            {
                try $0.next(as: String.self)
            }
            #expect(stored.count == 2 && !stored.contains { $0.contains("ABCD1234") })
        }
    }

    @Test func `a code is in one campaign only, and a dry run writes nothing`() async throws {
        try await OfferStage.run(codes: ["ABCD1234"]) { stage in
            #expect(try await stage.put(key: "autumn").status == 201)
            #expect(try await stage.importFile("EFGH5678", isDryRun: true).imported == 1)
            #expect(try await stage.pool() == "free 1, dealt 0, stale 0, expiring 0")
            let report = try await stage.importFile("ABCD1234\nEFGH5678\n", into: "autumn")
            #expect(report.imported == 1 && report.findings.map(\.reason) == [.offerPool])
            try await stage.app.verify()
        }
    }

    @Test func `a wrong expiry is mended by the same file, but not of a code that is dealt`() async throws {
        try await OfferStage.run { stage in
            try await stage.app.signUp("ann")
            try await stage.importCodes("ABCD1234", days: 40)
            _ = try await stage.deal("u-ann")
            try await stage.importCodes("EFGH5678", days: 2)
            #expect(try await stage.pool() == "free 0, dealt 1, stale 1, expiring 1")
            let report = try await stage.importFile("ABCD1234\nEFGH5678\n", days: 50)
            #expect(report.imported == 0 && report.findings.map(\.reason) == [.already, .offerMoved])
            #expect(try await stage.pool() == "free 1, dealt 1, stale 0, expiring 0")
            await #expect { try await stage.importFile("IJKL9012", days: -1) } throws: {
                "\($0)".contains("in the past")
            }
        }
    }

    @Test
    func `codes are dealt while an import reads its file, and a campaign that changes meanwhile stops it`()
        async throws
    {
        try await OfferStage.run(codes: ["ABCD1234"]) { stage in
            try await stage.app.signUp("ann")
            #expect(try await stage.put(key: "autumn").status == 201)
            var (chunks, statuses) = (0, [Int]())
            var told = ""
            do {
                _ = try await OfferImportStore(stage.app.db, stage.app.app.config).run(
                    into: "autumn", expiresAt: Date() + 9_000_000,
                    from: {
                        chunks += 1
                        if chunks == 1 { return Array("EFGH5678\n".utf8) }
                        statuses.append(try await stage.deal("u-ann").status)
                        statuses.append(try await stage.put(offer: "Another", key: "autumn").status)
                        return nil
                    })
            } catch { told = "\(error)" }
            #expect(statuses == [201, 200] && told.contains("changed meanwhile"), "\(told)")
        }
    }

    @Test func `an import into no campaign says how to create it`() async throws {
        try await OfferStage.run { stage in
            await #expect {
                try await stage.importFile("ABCD1234", into: "autumn")
            } throws: { "\($0)".contains("create it with PUT /v1/admin/offers/autumn") }
        }
    }

    @Test func `kith import offer-codes reads a file, and says what is missing`() async throws {
        let database = try await TestPostgres.shared.migratedDatabase()
        let db = try Database(Database.Configuration(url: database))
        let file = FileManager.default.temporaryDirectory.appending(path: "codes-\(UUID()).csv")
        defer { try? FileManager.default.removeItem(at: file) }
        try "ABCDEFGH\nABCD1234\nEFGH5678\nno code\n".write(to: file, atomically: true, encoding: .utf8)
        func kith(_ expiry: [String], _ settings: [String: String]) async throws -> KithCommand.Outcome {
            try await KithCommand(
                ["import", "offer-codes", "spring", file.path] + expiry,
                settings.merging(["KITH_DATABASE_URL": database]) { own, _ in own }
            ).run()
        }
        let key = ["KITH_SECRETS_KEY": Data(repeating: 7, count: 32).base64EncodedString()]
        let expiry = ["--expires", "2030-01-31"]
        #expect(try await kith(expiry, [:]).error.contains("KITH_SECRETS_KEY is not set"))
        #expect(try await kith(expiry, key).error.contains("create it with PUT /v1/admin/offers/spring"))
        _ = try await OfferStore(db: db).put(
            OfferCampaign(
                key: .init(stored: "spring"), appStoreID: "1", offer: "x", environment: .production,
                lowWater: 0), by: .thisCommand)
        #expect(try await kith(["--expires", "soon"], key).status != 0)
        #expect(
            try await kith(expiry, key).output == """
                offer-codes: 4 lines, 2 imported
                  refused    1 code is not 4 to 64 letters and digits (line 4)
                  refused    1 looks like the name of a column: name it code, or put a line with that name first (line 1)

                """)
        let later = try await kith(["--expires", "2031-01-31"], key)
        #expect(later.output.contains("  repaired   2 given another expiry (lines 2, 3)\n"), "\(later)")
        await db.close()
    }
}
