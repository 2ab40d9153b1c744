import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel

/// Each cell of the table "Friends" in docs/rules.md: A acts on B.
@Suite(.inTurns) struct FriendTableTests {
    /// The relationship of A to B before the act: the columns of the table.
    enum Before: String, CaseIterable {
        case none, outgoing, incoming, friends
        case aBlocksB = "A blocks B"
        case bBlocksA = "B blocks A"
        case bothBlock = "both block"

        /// Acts of A (0) and B (1) that lead to it.
        var acts: [(Int, FriendAction)] {
            switch self {
            case .none: []
            case .outgoing: [(0, .want)]
            case .incoming: [(1, .want)]
            case .friends: [(0, .want), (1, .want)]
            case .aBlocksB: [(0, .block)]
            case .bBlocksA: [(1, .block)]
            case .bothBlock: [(0, .block), (1, .block)]
            }
        }
    }

    struct Act: Sendable, CustomTestStringConvertible {
        var action: FriendAction
        var before: Before
        /// The answer to A; nil for a 409 `unblock_first`.
        var answer: Relationship?
        /// The relationship of B to A afterwards.
        var other: Relationship
        var testDescription: String { "\(action), \(before.rawValue)" }

        init(_ action: FriendAction, _ before: Before, _ answer: Relationship?, _ other: Relationship) {
            (self.action, self.before, self.answer, self.other) = (action, before, answer, other)
        }
    }

    static let acts = [
        Act(.want, .none, .outgoing, .incoming), Act(.want, .outgoing, .outgoing, .incoming),
        Act(.want, .incoming, .friends, .friends), Act(.want, .friends, .friends, .friends),
        Act(.want, .aBlocksB, nil, .none), Act(.want, .bBlocksA, .outgoing, .blocked),
        Act(.want, .bothBlock, nil, .blocked),
        Act(.unwant, .none, Relationship.none, .none), Act(.unwant, .outgoing, Relationship.none, .none),
        Act(.unwant, .incoming, Relationship.none, .outgoing),
        Act(.unwant, .friends, Relationship.none, .none), Act(.unwant, .aBlocksB, .blocked, .none),
        Act(.unwant, .bBlocksA, Relationship.none, .blocked), Act(.unwant, .bothBlock, .blocked, .blocked),
        Act(.block, .none, .blocked, .none), Act(.block, .outgoing, .blocked, .none),
        Act(.block, .incoming, .blocked, .outgoing), Act(.block, .friends, .blocked, .none),
        Act(.block, .aBlocksB, .blocked, .none), Act(.block, .bBlocksA, .blocked, .blocked),
        Act(.block, .bothBlock, .blocked, .blocked),
        Act(.unblock, .none, Relationship.none, .none), Act(.unblock, .outgoing, .outgoing, .incoming),
        Act(.unblock, .incoming, .incoming, .outgoing), Act(.unblock, .friends, .friends, .friends),
        Act(.unblock, .aBlocksB, Relationship.none, .none),
        Act(.unblock, .bBlocksA, Relationship.none, .blocked),
        Act(.unblock, .bothBlock, Relationship.none, .blocked),
    ]

    @Test func `the acts above are all acts of the table`() {
        let named = Set(Self.acts.map(\.testDescription))
        #expect(named.count == FriendAction.allCases.count * Before.allCases.count)
    }

    @Test(arguments: acts) func `it is answered as the table says`(act: Act) async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 2)
            for (side, action) in act.before.acts {
                try await app.act(action, people[side], on: people[1 - side])
            }
            for repetition in 1...2 {
                let answer = try await app.act(act.action, people[0], on: people[1])
                #expect(answer.status == (act.answer == nil ? 409 : 200), "time \(repetition)")
                #expect(answer["relationship"] == act.answer?.rawValue)
                #expect(answer.code == (act.answer == nil ? "unblock_first" : nil))
                #expect(try await app.relationship(people[1], people[0]) == act.other.rawValue)
                #expect(
                    try await app.relationship(people[0], people[1]) == (act.answer ?? .blocked).rawValue)
            }
            #expect(try await app.brokenMirrors() == 0)
        }
    }

    @Test(arguments: acts) func `repeating a call writes nothing`(act: Act) async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 2)
            for (side, action) in act.before.acts {
                try await app.act(action, people[side], on: people[1 - side])
            }
            try await app.act(act.action, people[0], on: people[1])
            let before = try await rows(app)
            try await app.act(act.action, people[0], on: people[1])
            #expect(try await rows(app) == before)
        }
    }

    private func rows(_ app: TestApp) async throws -> [String] {
        try await app.db.read.query("SELECT r::text FROM relationships r ORDER BY 1") { try $0.next() }
    }

    /// Every reachable state and every act in it, by the model.
    @Test func `every act in every state does what the model says`() async throws {
        try await TestApp.run { app in
            var ways: [PairModel: [(Int, FriendAction)]] = [PairModel(): []]
            var frontier = [PairModel()]
            while let model = frontier.popLast() {
                for side in 0...1 {
                    for action in FriendAction.allCases {
                        var next = model
                        _ = next.apply(action, by: side)
                        guard ways[next] == nil else { continue }
                        ways[next] = (ways[model] ?? []) + [(side, action)]
                        frontier.insert(next, at: 0)
                    }
                }
            }
            #expect(ways.count > 20)
            let people = try await app.people("p", ways.count * FriendAction.allCases.count * 2 * 2).map {
                User.UID(stored: $0)
            }
            var place = 0
            for (model, way) in ways {
                for (side, action) in [0, 1].flatMap({ side in FriendAction.allCases.map { (side, $0) } }) {
                    let pair = [people[place], people[place + 1]]
                    place += 2
                    for (side, action) in way { _ = try await act(app, action, pair[side], pair[1 - side]) }
                    var after = model
                    let expected = after.apply(action, by: side)
                    let answer = try await act(app, action, pair[side], pair[1 - side])
                    #expect(answer == expected, "\(action) by \(side) after \(way)")
                    for side in 0...1 {
                        let store = FriendStore(db: app.db)
                        let row = try await store.relationship(
                            of: User.ID(of: pair[side]), to: User.ID(of: pair[1 - side]))
                        #expect(row.relationship == after.view(side), "\(action) by \(side) after \(way)")
                    }
                }
            }
            #expect(try await app.brokenMirrors() == 0)
        }
    }

    private func act(_ app: TestApp, _ action: FriendAction, _ me: User.UID, _ other: User.UID) async throws
        -> Relationship?
    {
        do {
            return try await FriendStore(db: app.db).act(action, by: me, on: other, FriendLimits())
                .relationship
        } catch FriendError.unblockFirst {
            return nil
        }
    }

    @Test func `a request made under a block stays hidden after the block is lifted, until it is repeated`()
        async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 2)
            try await app.act(.block, people[1], on: people[0])
            try await app.act(.want, people[0], on: people[1])
            try await app.act(.unblock, people[1], on: people[0])
            #expect(try await app.relationship(people[1], people[0]) == "none")
            #expect(try await app.relationship(people[0], people[1]) == "outgoing")
            #expect(try await app.requests("incoming", people[1]) == [])
            try await app.act(.want, people[0], on: people[1])
            #expect(try await app.requests("incoming", people[1]) == [people[0]])
        }
    }

    @Test func `nobody can act on themselves`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 1)
            for action in FriendAction.allCases {
                let answer = try await app.act(action, people[0], on: people[0])
                #expect((answer.status, answer.code) == (422, "self_relationship"))
            }
            #expect(try await app.count("relationships") == 0)
        }
    }

    @Test func `a user without an account, or a suspended one, cannot act`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 2)
            try await app.setStatus("suspended", of: people[1])
            for action in FriendAction.allCases {
                let nobody = try await app.act(action, "u-none", on: people[0])
                #expect((nobody.status, nobody.code) == (403, "not_signed_up"))
                let suspended = try await app.act(action, people[1], on: people[0])
                #expect((suspended.status, suspended.code) == (403, "account_suspended"))
            }
            #expect(try await app.count("relationships") == 0)
        }
    }
}
