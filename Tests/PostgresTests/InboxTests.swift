import Synchronization
import TestSupport
import Testing

@testable import Postgres

/// How an inbox treats waiting requests while its connections hang.
@Suite(.inTurns) struct InboxTests {
    private func withInbox(
        _ url: String, _ adjust: (inout LaneSettings) -> Void = { _ in },
        _ body: (Inbox) async throws -> Void
    ) async throws {
        let deadlines = try #require(Deadlines())
        #expect(deadlines.start())
        defer { deadlines.stop() }
        var lane = LaneSettings(
            name: "read",
            limits: .init(connections: 2, deadline: .seconds(60), lockTimeout: .seconds(1)),
            sharing: .shared, isReadOnly: true, configuration: .init(url: url), hosts: try Hosts(url: url),
            onEvent: { _ in })
        adjust(&lane)
        try await body(Inbox(lane, deadlines))
    }

    private func read() -> Request { Request(.read, ["SELECT 1"], deadline: .seconds(60)) }

    @Test(arguments: ["the server is gone", "refused"])
    func `while an attempt to connect hangs, waiting requests fail within their patience, with the reason`(
        reason: String
    )
        async throws
    {
        try await withInbox("postgresql://db.test", { $0.configuration.connectTimeout = .milliseconds(300) })
        { inbox in
            // Its thread never runs, like one whose resolver does not answer.
            let connection = try #require(Connection(slot: 0, inbox: inbox))
            inbox.state.withLock { $0.slots = [.init(connection: connection)] }
            defer { inbox.state.withLock { $0.slots = [] } }
            inbox.connected(0)
            async let early = failure { try await inbox.answer(to: read()) }
            try await waitUntil("it waits") { inbox.statistics.waiting > 0 }
            inbox.disconnected(0, reason: "the server is gone")
            if reason == "refused" { inbox.connectFailed(0, reason: reason) }
            for error in [await early, await failure { try await inbox.answer(to: read()) }] {
                guard case .unavailable(reason) = error else { return unexpected(error) }
            }
            #expect(inbox.statistics.expired == 0)
        }
    }

    @Test func `a caller who leaves does not count as a silent server: no second connection is opened`()
        async throws
    {
        try await Server.withURL { (url) async throws in
            try await withInbox(url, { $0.stuckAfter = 60_000 }) { inbox in
                let lane = Lane(inbox: inbox, kind: .read, deadline: .seconds(60))
                let leaving = Task { try await lane.run("SELECT pg_sleep(1)") }
                try await waitUntil("it is under way") { inbox.statistics.inFlight > 0 }
                leaving.cancel()
                #expect(try await lane.run("SELECT 1") == 1)
                #expect(inbox.statistics.connects == 1)
                inbox.close()
                try await waitUntil("it is drained") { inbox.isDrained }
            }
        }
    }
}
