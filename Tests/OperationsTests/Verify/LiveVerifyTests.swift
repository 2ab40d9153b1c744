import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kith
@testable import Operations

/// `kith verify` beside a running server, and as a command.
@Suite(.inTurns) struct LiveVerifyTests {
    @Test func `while clients write, no false breach is reported`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 30)
            let isOver = Flag()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<6 {
                    group.addTask {
                        var turn = 0
                        while await !isOver.value {
                            turn += 1
                            try await write(app, people, writer, turn)
                        }
                    }
                }
                for round in 0..<12 {
                    let report = try await VerifyStore(db: app.db, checks: App.checks).verify(
                        repairing: round % 2 == 1)
                    #expect(report.breaches.isEmpty, "\(report)")
                }
                await isOver.set()
                try await group.waitForAll()
            }
            try await app.verify()
            #expect(try await app.count("relationships") > 0)
            #expect(try await app.deadlocks() == 0)
        }
    }

    private actor Flag {
        var value = false

        func set() { value = true }
    }

    private func write(_ app: TestApp, _ people: [String], _ writer: Int, _ turn: Int) async throws {
        let pair = Array(people.shuffled().prefix(2))
        switch turn % 8 {
        case 0:
            let name = pair[0].dropFirst(2)
            let answer = try await app.post(
                "/v1/signup", as: "n-\(writer)-\(turn)",
                ["username": "n\(writer)x\(turn)", "invite": TestApp.link(String(name), pair[0])])
            #expect(answer.status == 201)
        case 1:
            let answer = try await app.rename("n-\(writer)-\(turn - 1)", to: "m\(writer)x\(turn)")
            #expect(answer.status < 500)
        case 2:
            _ = try await app.get("/v1/me/invite", as: pair[0])
            _ = try await app.post("/v1/me/invite/rotate", as: pair[0])
        case 3:
            let link = try await app.post("/v1/invites", as: pair[0], ["maxUses": 2])
            _ = try await app.post(
                "/v1/invites/accept", as: pair[1], ["code": link["code"] ?? ""])
        default:
            let action = FriendAction.allCases.randomElement() ?? .want
            #expect(try await app.act(action, pair[0], on: pair[1]).status < 500)
        }
    }

    @Test func `the command prints its findings, and exits with 1 if something stays broken`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            let environment = ["KITH_DATABASE_URL": app.app.config.database.url]
            func verify(_ arguments: String...) async throws -> KithCommand.Outcome {
                try await KithCommand(["verify"] + arguments, environment).run()
            }
            let well = try await verify()
            #expect(well.status == 0, "\(well)")
            #expect(
                well.output.hasPrefix("verified 2 users, 2 username_periods, 2 usernames, 2 relationships, "))
            #expect(well.output.hasSuffix(": no breaches\n"))
            #expect(findings(well).isEmpty)

            try await app.db.write.run(
                "UPDATE relationships SET since = '2020-01-01Z' WHERE other_uid = 'u-bob'")
            let broken = try await verify()
            #expect(broken.status == 1)
            #expect(broken.output.contains("friends_since_differ: "))
            #expect(
                broken.output.contains(
                    ": 2 rows; u-ann → u-bob, u-bob → u-ann; `kith verify --repair` repairs it\n"))
            #expect(broken.output.hasSuffix(": 2 rows are broken\n"))
            #expect(findings(broken) == ["kith: broken: friends_since_differ"])

            let repaired = try await verify("--repair")
            #expect(repaired.status == 0, "\(repaired)")
            #expect(repaired.output.contains(" repaired"))
            #expect(try await verify().status == 0)
            #expect(try await verify("--mend").status == 2)
        }
    }

    /// The lines of standard error, but for those that say how far it is: a slow machine sees some of them.
    private func findings(_ outcome: KithCommand.Outcome) -> [String] {
        outcome.error.split(separator: "\n").map(String.init).filter { !$0.contains(" %: ") }
    }
}
