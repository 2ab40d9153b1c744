import Foundation
import XCTest

@testable import KithClient

/// Which calls are repeated, when, and how often.
final class RetryTests: XCTestCase {
    private let available = Script.Answer(body: #"{"username":"ann","available":true}"#)

    func testABusyServerIsAskedAgainWhenItSays() async throws {
        let script = Script(
            .problem(503, "unavailable", retryAfter: "3"), .problem(429, "rate_limited", retryAfter: "7"),
            available)
        let answer = try await script.client().availability(of: "ann")
        XCTAssertTrue(answer.available)
        XCTAssertEqual(script.waits, [3, 7])
    }

    func testAProxyIsAskedAgain() async throws {
        let script = Script(.init(status: 502, body: "<html>"), available)
        let answer = try await script.client().availability(of: "ann")
        XCTAssertTrue(answer.available)
    }

    func testALostConnectionIsTriedAgainLaterEachTimeAndNotForEver() async throws {
        let script = Script(.lost(.networkConnectionLost))
        do {
            _ = try await script.client().availability(of: "ann")
            XCTFail("there is no answer")
        } catch let error as URLError {
            XCTAssertEqual(error.code, .networkConnectionLost)
        }
        XCTAssertEqual(script.requests.count, 4)
        XCTAssertEqual(script.waits, [0.25, 0.5, 1])
    }

    func testJitterOnlyMakesWaitsLongerThanTheServerSays() async throws {
        let script = Script(.problem(503, "unavailable", retryAfter: "3"), .lost(.timedOut), available)
        _ = try await script.client(jitter: 1).availability(of: "ann")
        XCTAssertEqual(script.waits, [4, 1])
    }

    func testWhatLastsLongGoesToTheUser() async throws {
        for answer in [
            Script.Answer.problem(429, "username_cooldown", retryAfter: "20"),
            .problem(429, "rate_limited", retryAfter: "3600"), .problem(500, "internal_error"),
            .problem(409, "username_taken"), .lost(.cancelled), .lost(.secureConnectionFailed),
        ] {
            let script = Script(answer)
            do {
                _ = try await script.client().rename(to: "ann")
                XCTFail("\(answer)")
            } catch {}
            XCTAssertEqual(script.requests.count, 1, "\(answer)")
        }
    }

    func testWhatMakesSomethingNewNeedsAKey() async throws {
        let script = Script(.lost(.networkConnectionLost))
        let client = try script.client()
        _ = try? await client.rotateLink()
        let keys = script.requests.map { $0.value(forHTTPHeaderField: "Idempotency-Key") }
        XCTAssertEqual(keys.count, 4)
        XCTAssertEqual(Set(keys).count, 1)
        XCTAssertNotNil(keys[0])
        _ = try? await client.answer(Call(method: "POST", path: "/v1/invites"))
        XCTAssertEqual(script.requests.count, 5, "without a key it is sent once")
    }

    func testARefusedTokenIsRefreshedOnce() async throws {
        let script = Script(.problem(401, "token_expired"), available)
        _ = try await script.client().availability(of: "ann")
        XCTAssertEqual(script.tokens, ["Bearer token-false", "Bearer token-true"])
        XCTAssertEqual(script.waits, [])

        let refusing = Script(.problem(401, "token_invalid"))
        await expect("token_invalid", 401) { _ = try await refusing.client().availability(of: "ann") }
        XCTAssertEqual(refusing.requests.count, 2)
    }

    func testATokenThatCannotBeHadEndsTheCall() async throws {
        struct SignedOut: Error {}
        let script = Script(available)
        do {
            _ = try await script.client(token: { _ in throw SignedOut() }).me()
            XCTFail("nobody is signed in")
        } catch is SignedOut {}
        XCTAssertEqual(script.requests.count, 0)
    }

    func testWhatIsUnknownDoesNoHarm() async throws {
        let script = Script(
            .problem(418, "teapot"),
            .init(
                body: #"{"users":[{"uid":"u","relationship":"rival","since":null,"username":null,"more":1}]}"#
            ))
        await expect("teapot", 418) { _ = try await script.client().me() }
        let users = try await script.client().users(["u"])
        XCTAssertEqual(users.first?.relationship.rawValue, "rival")
        XCTAssertNil(users.first?.name)
    }

    func testTimesAreReadAndWrittenAlike() throws {
        let times = (0..<1000).map { "\"2026-10-01T09:30:00.\(String(format: "%03d", $0))Z\"" }
        let text = "[\(times.joined(separator: ","))]"
        let dates = try KithJSON.decode([Date].self, from: Data(text.utf8))
        XCTAssertEqual(Set(dates).count, 1000)
        XCTAssertEqual(String(decoding: try KithJSON.encode(dates), as: UTF8.self), text)
        XCTAssertThrowsError(try KithJSON.decode([Date].self, from: Data(#"["yesterday"]"#.utf8)))
    }

    func testACancelledCallStops() async throws {
        let script = Script(available)
        let client = try script.client()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.me()
        }
        do {
            _ = try await task.value
            XCTFail("it was cancelled")
        } catch is CancellationError {}
        XCTAssertEqual(script.requests.count, 0)
    }
}
