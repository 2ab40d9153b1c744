import Foundation
import XCTest

@testable import KithClient

/// Updates, remote values and experiments: what is kept, and what is sent.
final class ValuesTests: XCTestCase {
    private let app = AppFacts(app: "com.example.app", version: "3.9", osVersion: "17", language: "ja")
    private let later = "2099-01-01T00:00:00.000Z"

    private func policy(_ action: String, until time: String, version: String = "3.9") -> Script.Answer {
        Script.Answer(
            body:
                #"{"action":"\#(action)","policy":"p","target":"5.2","platform":"ios","app":"com.example.app","version":"\#(version)","revision":1,"expiresAt":"\#(time)"}"#,
            headers: ["ETag": "\"1\"", "Kith-Signature": Data("good".utf8).base64EncodedString()])
    }

    func testAPolicyIsAskedByTheAppsKeyAndItsTag() async throws {
        let script = Script(policy("hard", until: later), .init(status: 304, body: ""))
        let client = try script.client(clientKey: "kith_1")
        for _ in 0..<2 {
            let policy = await client.updatePolicy(app)
            XCTAssertEqual(policy.action, .hard)
            XCTAssertEqual(policy.target, "5.2")
        }
        XCTAssertEqual(script.tokens, ["Bearer kith_1", "Bearer kith_1"])
        XCTAssertEqual(
            script.requests.map { $0.value(forHTTPHeaderField: "If-None-Match") }, [nil, "\"1\""])
        let query = try XCTUnwrap(script.requests[0].url?.query)
        XCTAssertTrue(
            query.hasPrefix("platform=ios&app=com.example.app&version=3.9&os=17&language=ja&installationId="),
            query)
    }

    func testWithoutAnAnswerTheLastOneIsGoodUntilItExpires() async throws {
        for (action, time, expected) in [
            ("hard", later, UpdateAction.hard), ("hard", "2020-01-01T00:00:00.000Z", .none),
            ("block", "2020-01-01T00:00:00.000Z", .block),
        ] {
            for failure in [Script.Answer.lost(.notConnectedToInternet), .problem(503, "unavailable")] {
                let script = Script(policy(action, until: time), failure)
                let storage = MemoryStorage()
                _ = try await script.client(storage: storage).updatePolicy(app)
                // The app was closed meanwhile.
                let policy = try await script.client(storage: storage).updatePolicy(app)
                XCTAssertEqual(policy.action, expected, "\(action) \(time)")
                XCTAssertEqual(script.requests.count, 2, "the user does not wait for a second attempt")
            }
        }
    }

    func testAnAppThatWasUpdatedIsNotHeldByTheAnswerOfBefore() async throws {
        let script = Script(policy("block", until: later), .lost(.timedOut))
        let client = try script.client()
        _ = await client.updatePolicy(app)
        var updated = app
        updated.version = "5.2"
        let policy = await client.updatePolicy(updated)
        XCTAssertEqual(policy.action, .none)
        XCTAssertNil(script.requests[1].value(forHTTPHeaderField: "If-None-Match"))
    }

    func testAnAnswerForAnotherAppOrNotSignedCountsForNothing() async throws {
        let check: KithClient.SignatureCheck = { body, signature in
            !body.isEmpty && signature == Data("good".utf8)
        }
        var unsigned = policy("hard", until: later)
        unsigned.headers["Kith-Signature"] = nil
        var forged = policy("hard", until: later)
        forged.headers["Kith-Signature"] = Data("bad".utf8).base64EncodedString()
        for (answer, expected) in [
            (policy("hard", until: later), UpdateAction.hard), (unsigned, .none), (forged, .none),
            (policy("hard", until: later, version: "4.0"), .none), (.init(body: "<html>"), .none),
            (policy("rewind", until: later), "rewind"),
        ] {
            let policy = try await Script(answer).client().updatePolicy(app, isGenuine: check)
            XCTAssertEqual(policy.action, expected)
        }
        let odd = try await Script(policy("hard", until: later, version: "4.0")).client()
            .updatePolicy(AppFacts(app: "com.example.app", version: "04"))
        XCTAssertEqual(odd.action, .hard, "the server writes 04 as 4.0")
    }

    private let answer = Script.Answer(
        body:
            #"{"revision":3,"values":{"greeting":"Hello"},"experiments":[{"experiment":"exp","phase":2,"variation":"loud","assignment":"mark"}]}"#,
        headers: ["ETag": "\"v\""])

    func testValuesOutliveTheConnectionAndTheApp() async throws {
        let storage = MemoryStorage()
        let none = try await Script(.lost(.timedOut)).client(storage: storage).values(app)
        XCTAssertEqual(none.revision, 0)
        XCTAssertNil(none["greeting"], "the app uses what it has built in")
        let script = Script(answer, .init(status: 304, body: ""), .lost(.timedOut))
        for _ in 0..<3 {
            let values = try await script.client(storage: storage).values(app)
            XCTAssertEqual(values["greeting"], "Hello")
            XCTAssertEqual(values.variation(of: "exp"), "loud")
        }
        XCTAssertEqual(script.requests[1].value(forHTTPHeaderField: "If-None-Match"), "\"v\"")
        // An app of another version has the values of before, too, but another unit has not.
        let updated = try await script.client(storage: storage).values(AppFacts(version: "9"))
        XCTAssertEqual(updated["greeting"], "Hello")
        let other = try await script.client(storage: storage).values(app, unit: "u-1")
        XCTAssertEqual(other.revision, 0)
    }

    func testAnExposureIsSentOnceAndLaterIfItMust() async throws {
        let storage = MemoryStorage()
        let done = Script.Answer(status: 204, body: "")
        let script = Script(answer, .lost(.notConnectedToInternet), answer, done, answer, done)
        let client = try script.client(storage: storage)
        let values = await client.values(app)
        await client.expose("exp", in: values)
        XCTAssertEqual(script.requests.count, 2)
        // The next start sends what waits.
        let again = try script.client(storage: storage)
        _ = await again.values(app)
        XCTAssertEqual(script.requests.count, 4)
        let sent = try XCTUnwrap(script.requests[3].httpBody)
        let exposure = try JSONDecoder().decode(Exposure.self, from: sent)
        XCTAssertEqual(script.requests[3].url?.path, "/v1/exposures")
        XCTAssertEqual([exposure.experiment, exposure.variation, "\(exposure.phase)"], ["exp", "loud", "2"])
        for client in [again, try script.client(storage: storage)] {
            for _ in 0..<3 { await client.expose("exp", in: values) }
        }
        await again.expose("unknown", in: values)
        XCTAssertEqual(script.requests.count, 4, "once for each unit and variation")
        // Another unit is another one.
        await again.expose("exp", in: values, unit: "u-1")
        XCTAssertEqual(script.requests.count, 5)
    }

    func testManyExposuresAtOnceAreSentOnceEach() async throws {
        let script = Script(.init(status: 204, body: ""))
        let client = try script.client()
        let values = try KithJSON.decode(RemoteValues.self, from: Data(answer.body.utf8))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask { await client.expose("exp", in: values, unit: "u-\(number % 4)") }
            }
        }
        let units = try script.requests.map {
            try JSONDecoder().decode(Exposure.self, from: XCTUnwrap($0.httpBody)).unit
        }
        XCTAssertEqual(units.sorted(), ["u-0", "u-1", "u-2", "u-3"])
    }

    func testAUserIsInExperimentsByTheirTokenAlone() async throws {
        let script = Script(answer, .init(status: 204, body: ""))
        let client = try script.client(clientKey: "kith_1")
        let values = await client.values(app, unit: "u-1")
        await client.expose("exp", in: values, unit: "u-1")
        XCTAssertEqual(script.tokens.count, 2)
        XCTAssertFalse(script.tokens.contains("Bearer kith_1"), "\(script.tokens)")
        let sent = try JSONDecoder().decode(Exposure.self, from: XCTUnwrap(script.requests[1].httpBody))
        XCTAssertEqual(sent.assignment, "mark")
    }

    func testAnExposureThatNobodyWantsIsForgotten() async throws {
        let script = Script(.problem(409, "experiment_changed"))
        let client = try script.client()
        let values = try KithJSON.decode(RemoteValues.self, from: Data(answer.body.utf8))
        for _ in 0..<2 { await client.expose("exp", in: values) }
        XCTAssertEqual(script.requests.count, 1)
    }
}

/// The same, against a server.
final class ValuesCallTests: XCTestCase {
    func testPolicyAndValues() async throws {
        let client = try Server.client(try Server.user())
        let app = AppFacts(app: "com.example.app", version: "3.9", osVersion: "17.1", language: "ja")
        for _ in 0..<2 {
            let signatures = Signatures()
            let policy = await client.updatePolicy(app) { signatures.add($0, $1) }
            XCTAssertEqual(policy.action, .hard)
            XCTAssertEqual(policy.title, "更新してください")
            XCTAssertEqual(policy.url?.absoluteString, "https://example.com/app")
            XCTAssertTrue(signatures.all.allSatisfy { $0 == 64 })
        }
        var newest = app
        newest.version = "5.2"
        let nothing = await client.updatePolicy(newest)
        XCTAssertEqual(nothing.action, .none)
        let values = await client.values(app)
        XCTAssertEqual(values["hint"], "tap")
        XCTAssertNotNil(values.variation(of: "exp"))
        XCTAssertEqual(values["greeting"], values.variation(of: "exp") == "loud" ? "HELLO" : "Hello")
        let again = await client.values(app)
        XCTAssertEqual(again, values)
        let body = try XCTUnwrap(values.experiments.first)
        let installation = try await client.installation.id
        let exposure = Exposure(
            unit: installation, experiment: body.experiment, phase: body.phase, variation: body.variation,
            assignment: body.assignment)
        _ = try await client.answer(
            Call(method: "POST", path: "/v1/exposures", body: exposure, isOfApp: true))
        await client.expose("exp", in: values)
        await expect("experiment_not_found", 404) {
            let other = Exposure(
                unit: installation, experiment: "none", phase: 1, variation: "control",
                assignment: body.assignment)
            _ = try await client.answer(
                Call(method: "POST", path: "/v1/exposures", body: other, isOfApp: true))
        }
    }

    // The lock guards `sizes`.
    private final class Signatures: @unchecked Sendable {
        private let lock = NSLock()
        private var sizes: [Int] = []
        var all: [Int] { lock.withLock { sizes } }

        func add(_ body: Data, _ signature: Data) -> Bool {
            lock.withLock { sizes.append(signature.count) }
            return true
        }
    }

    func testOffersAndPurchases() async throws {
        // The server has three codes.
        let users = try (0..<4).map { _ in try Server.user() }
        let apps = try users.map { try Server.client($0) }
        for (app, user) in zip(apps, users) { _ = try await app.signUp(username: user.name) }
        let (annsApp, bobsApp) = (apps[0], apps[3])
        let code = try await annsApp.offer("spring")
        let others = [try await apps[1].offer("spring"), try await apps[2].offer("spring")]
        XCTAssertEqual(Set(others.map(\.code) + [code.code]).count, 3)
        let again = try await annsApp.offer("spring")
        XCTAssertEqual(again, code)
        XCTAssertEqual(
            code.url.absoluteString,
            "https://apps.apple.com/redeem?ctx=offercodes&id=123456789&code=\(code.code)")
        XCTAssertTrue(code.qr.contains("<svg"))
        await expect(.campaignEmpty, 409) { _ = try await bobsApp.offer("spring") }
        await expect(.campaignNotFound, 404) { _ = try await bobsApp.offer("a / b") }
        let purchases = try await annsApp.purchases()
        XCTAssertEqual(purchases.assigned.map(\.campaign), ["spring"])
        XCTAssertEqual(purchases.assigned.first?.expiresAt, code.expiresAt)
        XCTAssertEqual(purchases.purchases, [])
        let sandbox = try await annsApp.purchases(in: .sandbox)
        XCTAssertEqual(sandbox.appAccountToken, purchases.appAccountToken)
        XCTAssertEqual(sandbox.assigned, [])
        await expect(.appStoreNotSetUp, 409) { _ = try await annsApp.show(transaction: "a.b.c") }
    }

    func testWhatRewardsLookLike() async throws {
        let user = try Server.user()
        let app = try Server.client(user)
        _ = try await app.signUp(username: user.name)
        let none = try await app.rewards()
        XCTAssertTrue(none.rewards.isEmpty && none.balances.isEmpty && none.next == nil)
        let script = Script(
            .init(
                status: 200,
                body:
                    #"{"balances":[{"amount":100,"unit":"coins"}],"next":"n","rewards":[{"amount":100,"createdAt":"2026-10-01T09:30:00.000Z","id":"b7ec8837-6dc3-c7e6-d397-6806dc837484","kind":"credit","program":"autumn","side":"inviter","state":"pending","unit":"coins"}]}"#
            ))
        let some = try await script.client().rewards(after: "m")
        XCTAssertEqual(some.balances.map(\.amount), [100])
        XCTAssertEqual(some.rewards.first?.state, .pending)
        XCTAssertEqual(some.rewards.first?.side, .inviter)
        XCTAssertNil(some.rewards.first?.approvedAt)
        XCTAssertEqual(some.next, "n")
        XCTAssertTrue(script.requests[0].url?.query?.contains("after=m") == true)
    }

    func testWhatAPurchaseLooksLike() async throws {
        let script = Script(
            .lost(.networkConnectionLost),
            .init(
                status: 201,
                body:
                    #"{"originalTransactionId":"1000","environment":"production","simulated":false,"productId":"monthly","type":"Auto-Renewable Subscription","familyShared":false,"startedAt":"2026-10-01T09:30:00.000Z","active":true,"transactionId":"1001","quantity":1,"purchasedAt":"2026-10-01T09:30:00.000Z","expiresAt":"2026-11-01T09:30:00.000Z","autoRenews":true,"billingFailed":false,"refunded":{"transactionId":"1000","productId":"monthly","quantity":1,"purchasedAt":"2026-09-01T09:30:00.000Z","expiresAt":"2026-10-01T09:30:00.000Z","revokedAt":"2026-10-02T09:30:00.000Z"}}"#
            ))
        let purchase = try await script.client().show(transaction: "a.b.c")
        XCTAssertEqual(script.requests.count, 2, "a lost answer is asked for again")
        XCTAssertTrue(purchase.active && purchase.autoRenews == true && purchase.revokedAt == nil)
        XCTAssertEqual(purchase.environment, .production)
        XCTAssertEqual([purchase.transactionId, purchase.refunded?.transactionId], ["1001", "1000"])
        XCTAssertEqual(
            script.requests[1].httpBody.map { String(decoding: $0, as: UTF8.self) },
            #"{"signedTransaction":"a.b.c"}"#)
    }
}
