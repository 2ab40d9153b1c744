import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kith

/// Acts of both sides at the same instant end as if one had been first.
@Suite(.inTurns) struct ConvergenceTests {
    /// Runs the body for each number, at most `width` at a time.
    private func concurrently(
        _ count: Int, width: Int = 24, _ body: @escaping @Sendable (Int) async throws -> Void
    )
        async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= width { try await group.next() }
                group.addTask { try await body(number) }
            }
            try await group.waitForAll()
        }
    }

    @Test
    func `3,000 pairs who ask each other at the same instant become friends without a deadlock or error`()
        async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 6000)
            try await concurrently(3000) { number in
                let (one, two) = (people[2 * number], people[2 * number + 1])
                async let first = app.act(.want, one, on: two)
                async let second = app.act(.want, two, on: one)
                let answers = try await [first, second]
                #expect(answers.map(\.status) == [200, 200])
                #expect(answers.contains { $0["relationship"] == "friends" })
            }
            let friends = try await app.db.read.first(
                "SELECT count(*) FROM relationships WHERE since IS NOT NULL"
            ) { try $0.next(as: Int.self) }
            #expect(friends == 6000)
            #expect(try await app.brokenMirrors() == 0)
            #expect(try await app.deadlocks() == 0)
            try await app.verify()
        }
    }

    @Test
    func `a serial order explains each of thousands of random concurrent histories of two sides`()
        async throws
    {
        try await TestApp.run { app in
            let seeds = TestPart.seeds(2500)
            let people = try await app.people("p", 2 * seeds.count)
            try await concurrently(seeds.count) { number in
                let pair = [people[2 * number], people[2 * number + 1]]
                var random = SeededGenerator(seeds[number])
                let plans = (0...1).map { _ in
                    (0..<Int.random(in: 1...4, using: &random)).map { _ in
                        FriendAction.allCases.randomElement(using: &random) ?? .want
                    }
                }
                async let first = run(app, plans[0], pair[0], on: pair[1])
                async let second = run(app, plans[1], pair[1], on: pair[0])
                let steps = try await [first, second]
                let views = try await [
                    app.relationship(pair[0], pair[1]), app.relationship(pair[1], pair[0]),
                ].compactMap { Relationship(rawValue: $0 ?? "") }
                #expect(PairModel.explains(steps, endingIn: views), "\(steps) ended in \(views)")
            }
            #expect(try await app.brokenMirrors() == 0)
            #expect(try await app.deadlocks() == 0)
            try await app.verify()
        }
    }

    private func run(_ app: TestApp, _ plan: [FriendAction], _ me: String, on other: String) async throws
        -> [Step]
    {
        var steps: [Step] = []
        for action in plan {
            let answer = try await app.act(action, me, on: other)
            #expect(answer.status == 200 || answer.code == "unblock_first")
            steps.append(Step(action: action, answer: answer["relationship"].flatMap(Relationship.init)))
        }
        return steps
    }

    @Test func `the model detects a lost update`() {
        let asked = Step(action: .want, answer: .outgoing)
        #expect(!PairModel.explains([[asked], [asked]], endingIn: [.outgoing, .outgoing]))
        let accepted = Step(action: .want, answer: .friends)
        #expect(PairModel.explains([[asked], [accepted]], endingIn: [.friends, .friends]))
    }

    @Test(arguments: [500, 1])
    func `ten users who act on each other at once neither deadlock nor end in disagreeing rows`(ended: Int)
        async throws
    {
        try await TestApp.run(configure: { $0.friends.ended = ended }) { app in
            let people = try await app.people("p", 10)
            try await concurrently(2000) { number in
                var random = SeededGenerator(number)
                let pair = Array(people.shuffled(using: &random).prefix(2))
                let action = FriendAction.allCases.randomElement(using: &random) ?? .want
                let answer = try await app.act(action, pair[0], on: pair[1])
                #expect(answer.status == 200 || answer.code == "unblock_first")
            }
            #expect(try await app.brokenMirrors() == 0)
            #expect(try await app.deadlocks() == 0)
            try await app.verify()
        }
    }

    @Test
    func `concurrent invites, requests and blocks of one pair neither deadlock nor end in disagreeing rows`()
        async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 400)
            try await concurrently(200) { number in
                let (one, two) = (people[2 * number], people[2 * number + 1])
                let invite = TestApp.link(String(one.dropFirst(2)), one)
                async let accepted = app.post("/v1/invites/accept", as: two, invite)
                async let asked = app.act(.want, one, on: two)
                async let blocked = app.act(
                    .block, number % 2 == 0 ? one : two, on: number % 2 == 0 ? two : one)
                for answer in try await [accepted, asked, blocked] { #expect(answer.status < 500) }
                let views = try await [app.relationship(one, two), app.relationship(two, one)]
                #expect(views.contains("blocked"))
                #expect(!views.contains("friends"))
            }
            #expect(try await app.brokenMirrors() == 0)
            #expect(try await app.deadlocks() == 0)
            try await app.verify()
        }
    }
}
