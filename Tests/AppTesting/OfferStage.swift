import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Growth
@testable import Imports
@testable import Kernel
@testable import Kith
@testable import Operations

/// A product with the campaign `spring`.
struct OfferStage {
    let app: TestApp
    let admin: HTTPFields

    /// - Parameter appStoreID: the number of the host's own app; nil: it has none.
    static func run(
        codes: [String] = [], appStoreID: String? = nil,
        _ test: @Sendable (OfferStage) async throws -> Void
    ) async throws {
        try await TestApp.run(configure: {
            $0.secretsKey = SecretsKey(Data(repeating: 7, count: 32).base64EncodedString())
            $0.app.appStoreID = appStoreID
        }) { app in
            let stage = OfferStage(app: app, admin: try await app.keyed())
            try #require(try await stage.put().status == 201)
            if !codes.isEmpty { try await stage.importCodes(codes.joined(separator: "\n")) }
            try await test(stage)
        }
    }

    func put(
        appStoreID: String = "123456789", offer: String = "Spring 2027", environment: String = "production",
        lowWater: Int = 0, quarterBudget: Int? = nil, key: String = "spring"
    ) async throws -> TestApp.Answer {
        try await app.call(
            .put, "/v1/admin/offers/\(key)", headers: admin,
            body: [
                "appStoreId": appStoreID, "offer": offer, "environment": environment, "lowWater": lowWater,
                "quarterBudget": quarterBudget,
            ])
    }

    func deal(_ uid: String, _ campaign: String = "spring") async throws -> TestApp.Answer {
        try await app.call(.post, "/v1/me/offers/\(campaign)", as: uid)
    }

    var mark: [UInt8] { app.app.config.secretsKey.map(OfferDealing.mark) ?? [] }

    @discardableResult
    func importFile(
        _ text: String, into campaign: String = "spring", days: Double = 100, isDryRun: Bool = false
    ) async throws -> ImportReport {
        var chunks = [Array(text.utf8)]
        return try await OfferImportStore(app.db, app.app.config).run(
            into: campaign, expiresAt: Date() + days * 86_400, isDryRun: isDryRun,
            from: { chunks.popLast() })
    }

    func importCodes(_ text: String, days: Double = 100) async throws {
        try #require(try await importFile(text, days: days).imported > 0)
    }

    func importUsers(_ count: Int) async throws -> [User.ID] {
        var chunks = [
            Array("uid,username\n".utf8) + (0..<count).flatMap { Array("x\($0),x\($0)name\n".utf8) }
        ]
        let report = try await ImportStore(app.db, app.app.config).run(
            .users(keepNames: false, historyComplete: true), from: { chunks.popLast() })
        try #require(report.imported == count)
        return (0..<count).map { User.ID(of: User.UID(stored: "x\($0)")) }
    }

    /// How many codes of the campaign are where.
    func pool() async throws -> String {
        let pool = try #require(try await OfferStore(db: app.db).pools(.init(stored: "spring")).first)
        return "free \(pool.free), dealt \(pool.dealt), stale \(pool.stale), expiring \(pool.expiring)"
    }
}
