import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// Another `KITH_SECRETS_KEY` than the one that encrypted what the database holds.
@Suite(.inTurns) struct SealedSecretsTests {
    private static func key(_ byte: UInt8) -> String {
        Data(repeating: byte, count: 32).base64EncodedString()
    }

    @Test func `a server with another key says at its start what it cannot open, and serves`() async throws {
        try await OfferStage.run(codes: ["SPRING0001"]) { stage in
            let webhook = try await stage.app.post(
                "/v1/admin/webhooks", as: nil, headers: stage.admin, ["url": "https://b.example.com/"])
            let id = try #require(webhook["id"], "\(webhook.text)")
            let url = stage.app.app.config.database.url
            func closed(_ key: String?) async throws -> [String] {
                var config = stage.app.app.config
                config.secretsKey = key.flatMap(SecretsKey.init)
                return try await SealedSecrets(stage.app.db, config).closed()
            }
            let all = ["the codes of campaign spring", "the secret of webhook \(id)"]
            #expect(try await closed(Self.key(7)) == [])
            #expect(try await closed(Self.key(8)) == all)
            #expect(try await closed(nil) == all)

            let settings = ["KITH_DATABASE_URL": url, "KITH_SECRETS_KEY": Self.key(8)]
            let server = try await KithServer.start(settings)
            #expect(try await server.call("GET", "/robots.txt").status == 200)
            server.process.terminate()
            let said = await server.exit().error
            let line = said.split(separator: "\n").first { $0.contains("KITH_SECRETS_KEY does not open") }
            #expect(line.map { line in all.allSatisfy { line.contains($0) } } == true, "\(said)")

            let wrong = try await KithCommand(["verify"], settings).run()
            #expect(wrong.status == 1 && wrong.output.contains("secrets_closed: \(all[0])"), "\(wrong)")
            for right in [Self.key(7), ""] {
                let settings = ["KITH_DATABASE_URL": url, "KITH_SECRETS_KEY": right].filter {
                    !$0.value.isEmpty
                }
                let outcome = try await KithCommand(["verify"], settings).run()
                #expect(outcome.status == 0 && !outcome.output.contains("secrets_closed"), "\(outcome)")
            }
        }
    }
}
