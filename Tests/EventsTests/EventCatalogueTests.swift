import Foundation
import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Events
@testable import Graph
@testable import Growth
@testable import Kernel
@testable import Kith
@testable import Web

/// docs/events.json has each type of event, with an example that was made here.
@Suite(.inTurns) struct EventCatalogueTests {
    private static let path = "docs/events.json"

    @Test func `docs/events.json describes every type, and shows one as it is sent`() async throws {
        try await TestApp.run(configure: {
            ($0.app.linkDomains, $0.counts.countryHeader) = ("https://go.example.com", "CF-IPCountry")
            $0.server.trustedProxies.ranges = [AddressRange("127.0.0.0/8")].compactMap(\.self)
        }) { app in
            let told = try await examples(app)
            var text = try RepositoryFile.read(Self.path)
            for kind in Event.Kind.allCases {
                let example = try #require(told[kind.rawValue], "nothing made \(kind.rawValue)")
                let definition = try Self.definition(of: kind, in: text)
                #expect(definition.audience == (kind.isForUser ? "user" : "backend"), "\(kind.rawValue)")
                #expect(
                    definition.members.union(kind.isOfNobody ? ["badge"] : ["user", "badge"])
                        == Set(example.data.keys), "\(kind.rawValue)")
                text = try Self.put(example, of: kind, into: text)
            }
            if ProcessInfo.processInfo.environment["KITH_TEST_WRITE_TRANSCRIPTS"] != nil {
                try text.write(
                    to: RepositoryFile.root.appending(path: Self.path), atomically: true, encoding: .utf8)
            }
            #expect(
                try RepositoryFile.read(Self.path) == text,
                "write the examples anew: KITH_TEST_WRITE_TRANSCRIPTS=1 swift test --filter EventCatalogueTests"
            )
            let definitions = try Self.definitions(in: text).keys.filter { $0.contains(".") }
            #expect(Set(definitions) == Set(Event.Kind.allCases.map(\.rawValue)))
        }
    }

    /// An event of each type; of those that come several times, the first with the most members.
    private func examples(_ app: TestApp) async throws -> [String: ToldEvent] {
        for name in ["ann", "ben", "cat", "dan"] { try await app.signUp(name) }
        let code = try await app.post("/v1/invites", as: "u-ann")["code"] ?? ""
        try await signUpByLink(app, "eve", code)
        _ = try await app.call(.delete, "/v1/invites/\(code)", as: "u-ann")
        try await app.rename("u-eve", to: "evelyn")
        try await app.act(.want, "u-ben", on: "u-ann")
        try await app.act(.unwant, "u-ben", on: "u-ann")
        try await app.act(.want, "u-ben", on: "u-ann")
        try await app.act(.unwant, "u-ann", on: "u-ben")
        try await app.befriend("u-cat", "u-ann")
        try await app.act(.unwant, "u-ann", on: "u-cat")
        _ = try await app.claim([
            "platform": "ios", "pasteboard": "\(TestApp.origin)/users/ann?invitedBy=u-ann",
        ])
        try await offer(app)
        try await buy(app)
        try await reward(app)
        try await app.setStatus("suspended", of: "u-cat")
        try await app.setStatus("active", of: "u-cat")
        // Whom others are shown with by name must stay.
        try await app.setStatus("deleted", of: "u-dan")
        return Dictionary(grouping: try await app.events(), by: \.type).compactMapValues { events in
            events.max { ($0.data.count, $1.id) < ($1.data.count, $0.id) }
        }
    }

    /// Signs up somebody by an invite and a deep link, with all that their phone tells.
    private func signUpByLink(_ app: TestApp, _ name: String, _ code: String) async throws {
        let key = try await app.keyed(.server)
        let parameters: Body = ["link": "https://join.example.com/party", "utm_campaign": "spring"]
        let link: Body = ["parameters": parameters, "suffix": "custom", "code": "party"]
        try #require(try await app.post("/v1/links", as: nil, headers: key, link).status == 201)
        var phone: HTTPFields = [.acceptLanguage: "ja"]
        phone[try #require(HTTPField.Name("CF-IPCountry"))] = "JP"
        let answer = try await app.call(
            .post, "/v1/signup", as: "u-\(name)", headers: phone,
            body: [
                "username": name, "invite": ["code": code] as Body,
                "link": "https://go.example.com/party", "platform": "ios",
                "app": "com.example.app",
            ])
        try #require(answer.status == 201, "\(answer.text)")
    }

    private func offer(_ app: TestApp) async throws {
        let store = OfferStore(db: app.db)
        _ = try await store.put(
            OfferCampaign(
                key: .init(stored: "spring"), appStoreID: "123456789", offer: "Spring 2027",
                environment: .production, lowWater: 100), by: .thisCommand)
        let codes = OfferImportStore(
            db: app.db, secretsKey: SecretsKey(Data(repeating: 7, count: 32).base64EncodedString()))
        var chunks = [Array("ABCD1234\nEFGH5678\n".utf8)]
        _ = try await codes.run(
            into: "spring", expiresAt: Date() + 20 * 86_400, from: { chunks.popLast() })
        _ = try await store.deal(
            .init(stored: "spring"), to: User.ID(of: User.UID(stored: "u-ann")), by: RewardStore.self,
            mark: codes.secretsKey.map(OfferDealing.mark) ?? [])
        try await OfferService(
            store: store, metrics: OfferMetrics(), now: app.app.world.now, logger: .init(label: "test")
        ).look()
    }

    private func buy(_ app: TestApp) async throws {
        let admin = try await app.keyed()
        let test: Body = ["appStoreId": "123456789", "offer": "Spring 2027", "environment": "sandbox"]
        _ = try await app.call(.put, "/v1/admin/offers/test", headers: admin, body: test)
        for act in PurchaseSimulation.Act.allCases.map(\.rawValue).filter({ $0 != "expire" }) + ["expire"] {
            let answer = try await app.call(
                .post, "/v1/admin/users/u-ann/simulated-purchases", headers: admin,
                body: ["act": act, "campaign": "test"])
            try #require(answer.status < 300, "\(answer.text)")
        }
    }

    private static func definitions(in text: String) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return try #require(json?["$defs"] as? [String: Any])
    }

    /// For whom events of the type are, and the members of their data.
    private static func definition(of kind: Event.Kind, in text: String) throws
        -> (audience: String?, members: Set<String>)
    {
        let definition = try definitions(in: text)[kind.rawValue] as? [String: Any]
        let members = try #require(definition?["properties"] as? [String: [String: Any]], "\(kind.rawValue)")
        let data = members["data"]?["properties"] as? [String: Any] ?? [:]
        return (members["audience"]?["const"] as? String, Set(data.keys))
    }

    private static func put(_ example: ToldEvent, of kind: Event.Kind, into text: String) throws -> String {
        let json = try JSONSerialization.data(
            withJSONObject: example.json, options: [.sortedKeys, .withoutEscapingSlashes])
        let line = String(decoding: json, as: UTF8.self)
            .replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "2026-10-01T09:30:00.000Z")
            .replacing(/"expiresAt":"[^"]+"/, with: #""expiresAt":"2027-03-31T00:00:00.000Z""#)
            .replacing(/"sim-\w+"/, with: #""sim-7e3fb20420474b9c""#)
            .replacing(/"id":"\d{16}"/, with: #""id":"1790847000000000""#)
            .replacing(/"code":"[^"]+"/, with: #""code":"Qm7xTz2LwN4bRk9c""#)
        let start = try #require(text.range(of: "    \"\(kind.rawValue)\": {")).upperBound
        let label = try #require(text.range(of: "\"examples\": [", range: start..<text.endIndex)).upperBound
        let end = try #require(text[label...].firstIndex(of: "\n"))
        return text.replacingCharacters(in: label..<end, with: "\(line)]")
    }
}
