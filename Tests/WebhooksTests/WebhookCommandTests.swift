import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Events
@testable import Kernel
@testable import Kith
@testable import Web
@testable import Webhooks

/// `kith webhooks`, and deliveries by processes of `kith serve`, one of which is killed.
@Suite(.inTurns) struct WebhookCommandTests {
    private static let key = Data(repeating: 9, count: 32).base64EncodedString()

    private func environment(_ database: String) -> [String: String] {
        [
            "KITH_DATABASE_URL": database, "KITH_SECRETS_KEY": Self.key,
            "KITH_WEBHOOK_PRIVATE_ADDRESSES": "allow",
        ]
    }

    @Test func `kith webhooks creates, lists, rotates, sends again and deletes, and says what is wrong`()
        async throws
    {
        let environment = environment(try await TestPostgres.shared.migratedDatabase())
        func kith(_ arguments: String..., without setting: String = "") async throws -> KithCommand.Outcome {
            try await KithCommand(["webhooks"] + arguments, environment.filter { $0.key != setting }).run()
        }
        let created = try await kith("create", "http://127.0.0.1:9/kith", "--types", "user.renamed")
        let words = created.output.split(separator: " ").map { $0.trimmingCharacters(in: .newlines) }
        let (id, secret) = (try #require(words.first), try #require(words.last))
        #expect(UUID(uuidString: id) != nil && WebhookSecret(secret) != nil)
        #expect(
            try await kith("list").output == "\(id)  active  0 waiting  0 dead  http://127.0.0.1:9/kith\n")
        let rotated = try await kith("rotate", id).output.trimmingCharacters(in: .newlines)
        #expect(WebhookSecret(rotated) != nil && rotated != secret)
        #expect(try await kith("redeliver", id, "--dead").output == "0 events will be sent again\n")
        #expect(try await kith("redeliver", id, "--since", "2026-11-21T09:30:00Z").status == 0)
        #expect(try await kith("redeliver", id).status == 2)
        #expect(try await kith("resume", id).output == "resumed \(id)\n")
        #expect(try await kith("delete", id).output == "deleted \(id)\n")
        #expect(
            try await kith("delete", id).error == "kith: There is no such webhook.\n")
        #expect(try await kith("rotate", "x").status == 2)
        #expect(try await kith("listen", "--secret", "x").status == 2)
        #expect(try await kith("listen", "--port", "70000").status == 2)
        let http = try await kith(
            "create", "http://127.0.0.1:9/", without: "KITH_WEBHOOK_PRIVATE_ADDRESSES")
        #expect(http.status == 1 && http.error.contains("`url` must begin with https://"))
        let keyless = try await kith("create", "http://127.0.0.1:9/", without: "KITH_SECRETS_KEY")
        #expect(keyless.status == 1 && keyless.error.contains("Set KITH_SECRETS_KEY to 32 random bytes"))
    }

    @Test func `a listener names the port that it has, and one that is taken`() async throws {
        let first = try #require(WebhookListener(secret: nil, logger: WebhookStage.quiet))
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let listening = Task { try await first.run(port: 0, begun: { port.yield($0) }, tell: { _ in }) }
        let taken = try #require(await ports.first { _ in true })
        #expect(taken > 0)
        let second = try await KithCommand(["webhooks", "listen", "--port", "\(taken)"], [:]).run()
        #expect(second.status == 1)
        #expect(
            second.error
                == "kith: cannot listen on 127.0.0.1:\(taken): Address already in use. Name another port with --port\n"
        )
        listening.cancel()
        _ = await listening.result
    }

    @Test func `a listener takes what is signed now, and tells what else is forged, unsigned or old`() throws
    {
        let secret = WebhookSecret(randomBytes: World.live.randomBytes)
        let listener = try #require(WebhookListener(secret: secret.text, logger: WebhookStage.quiet))
        let (now, body) = (Date(timeIntervalSince1970: 1_763_717_400), Array(#"{"type":"x"}"#.utf8))
        func verdict(_ at: Int64, by signer: WebhookSecret? = nil, _ drop: String = "") throws -> String {
            let signature = (signer ?? secret).signature(id: "7", timestamp: at, body: body)
            var headers: HTTPFields = [:]
            for (name, value) in [
                ("webhook-id", "7"), ("webhook-timestamp", String(at)), ("webhook-signature", signature),
            ] where name != drop {
                headers[try #require(HTTPField.Name(name))] = value
            }
            return listener.line(headers, body, at: now).text
        }
        #expect(try verdict(1_763_717_400) == #"signed  7  {"type":"x"}"#)
        #expect(try verdict(1_763_717_100) == #"signed  7  {"type":"x"}"#)
        #expect(try verdict(1_763_717_099) == "old  7")
        #expect(try verdict(1_763_717_701) == "old  7")
        #expect(
            try verdict(1_763_717_400, by: WebhookSecret(bytes: [UInt8](repeating: 1, count: 32)))
                == "forged  7")
        #expect(try verdict(1_763_717_400, "webhook-signature") == "unsigned")
        #expect(WebhookListener(secret: "x", logger: WebhookStage.quiet) == nil)
    }

    @Test func `a listener prints no body that is forged, and nothing that a terminal would obey`() throws {
        let secret = WebhookSecret(randomBytes: World.live.randomBytes)
        let body = Array("x\nsigned  8\u{1b}[2J\u{9b}\u{7f}\u{2028}\u{202e}é😀".utf8)
        let now = Date(timeIntervalSince1970: 1_763_717_400)
        func line(_ listener: WebhookListener?, _ id: String, by signer: WebhookSecret) throws -> String {
            var headers: HTTPFields = [:]
            for (name, value) in [
                ("webhook-id", id), ("webhook-timestamp", "1763717400"),
                ("webhook-signature", signer.signature(id: id, timestamp: 1_763_717_400, body: body)),
            ] { headers[try #require(HTTPField.Name(name))] = value }
            return try #require(listener).line(headers, body, at: now).text
        }
        let strict = WebhookListener(secret: secret.text, logger: WebhookStage.quiet)
        let lax = WebhookListener(secret: nil, logger: WebhookStage.quiet)
        let other = WebhookSecret(randomBytes: World.live.randomBytes)
        let visible = #"x\u000asigned  8\u001b[2J\u009b\u007f\u2028\u202eé😀"#
        #expect(try line(strict, "7", by: other) == "forged  7")
        #expect(try line(strict, "7", by: secret) == "signed  7  \(visible)")
        #expect(try line(lax, "7", by: other) == "unchecked  7  \(visible)")
        #expect(try line(strict, "7\u{9b}", by: other) == #"forged  7\u009b"#)
        #expect(try #require(lax).line([:], body, at: now).text == "unsigned")
    }

    /// The lease of a killed server ends after 20 seconds.
    @Test
    func
        `if the server that delivers is killed, another one goes on, and every committed event arrives in order`()
        async throws
    {
        try await WebhookStage.run(isServed: false) { stage in
            let database = stage.app.app.config.database.url
            var environment = environment(database)
            // That of the stage, which creates the endpoint.
            environment["KITH_SECRETS_KEY"] = Data(repeating: 7, count: 32).base64EncodedString()
            let first = try await KithServer.start(environment)
            let (id, secret) = try await stage.create()
            try await stage.tell(count: 5)
            try await waitUntil("the first events") { stage.receiver.arrivals.count >= 5 }
            let second = try await KithServer.start(environment)
            stage.receiver.answer { _ in
                try? await Task.sleep(for: .milliseconds(20))
                return Response(status: .ok)
            }
            async let telling: Void = stage.tell(count: 200)
            try await waitUntil("some more") { stage.receiver.arrivals.count >= 30 }
            kill(first.process.id, SIGKILL)
            try await telling
            try await stage.waitUntilDone(id)
            let last = try await EventStore(db: stage.app.db).read(
                after: Int64(stage.receiver.arrivals[0].id).map { $0 - 1 } ?? 0, limit: 1000
            ).events
            let ids = stage.receiver.arrivals.map(\.id)
            #expect(Set(ids) == Set(last.map { String($0.id) }))
            #expect(stage.receiver.arrivals.allSatisfy { $0.isSigned(by: secret) })
            // The second server goes back once, to what the first one had not noted.
            #expect(zip(ids, ids.dropFirst()).count { Int64($0) ?? 0 >= Int64($1) ?? 0 } <= 1)
            second.process.terminate()
            _ = await (first.exit(), second.exit())
        }
    }
}
