import Foundation
import HummingbirdTesting
import TestSupport
import Testing

@testable import AppTesting
@testable import Events
@testable import Graph
@testable import Kernel
@testable import Kith

/// How long a user's streams go on, and how many there are.
@Suite(.inTurns) struct EventStreamEndTests {
    @Test func `a stream ends with its ID token, and sends nothing from then on`() async throws {
        try await TestApp.run(.live) { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.numberEvents()
            // In five seconds a call with it is refused.
            let end = Date() + 5
            let stream = try await app.openStream(
                as: "u-ann", signed: end - TokenRules.leeway - DevelopmentKey.lifetime)
            let other = try await app.openStream(as: "u-ann")
            for one in [stream, other] { #expect(await one.hear("retry").contains("200 OK")) }
            try await Task.sleep(for: .seconds(end.timeIntervalSinceNow + 0.1))
            try await app.act(.want, "u-bob", on: "u-ann")
            try await app.numberEvents()
            let rest = await stream.hear("0\r\n\r\n")
            #expect(rest.hasSuffix("0\r\n\r\n") && !rest.contains("friend.requested"), "\(rest)")
            #expect(await other.hear(#""type":"friend.requested"}"#).contains("event: friend.requested\n"))
        }
    }

    @Test func `a stream goes on for an hour at most, and as long as its token`() {
        let now = Date()
        for (token, time) in [(nil, 3600), (now + 600, 600), (now + 7200, 3600), (now + 1e300, 3600)] {
            let left = EventStream.end(tokenEnd: token, now: now) - .now
            #expect(left <= .seconds(time) && left > .seconds(time - 60))
        }
    }

    @Test func `a user has ten streams at once: one more ends the oldest`() async throws {
        try await TestApp.run(.live) { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.numberEvents()
            var streams: [RawConnection] = []
            for _ in 0...EventFeed.mostPerUser {
                let stream = try await app.openStream(as: "u-ann")
                #expect(await stream.hear("retry").contains("200 OK"))
                streams.append(stream)
            }
            #expect(await streams[0].hear("0\r\n\r\n").hasSuffix("0\r\n\r\n"))
            #expect(app.app.events.followerCount == EventFeed.mostPerUser)
            try await app.act(.want, "u-bob", on: "u-ann")
            try await app.numberEvents()
            for stream in streams.dropFirst() {
                let text = await stream.hear(#""type":"friend.requested"}"#)
                #expect(text.contains("event: friend.requested\n"), "\(text)")
            }
        }
    }

    @Test func `an empty id is as none`() async throws {
        try await TestApp.run(.live) { app in
            try await app.signUp("ann")
            try await app.numberEvents()
            let last = try await app.eventStore.last()
            let stream = try await app.openStream(as: "u-ann", after: "")
            let text = await stream.hear("\n\n\r\n")
            #expect(text.contains("200 OK") && text.contains("id: \(last)\n"), "\(text)")
        }
    }
}
