import Postgres
import TestSupport
import Testing

@testable import Kith

/// Each cell of the table "Friends" in docs/rules.md: A acts on B.
@Suite(.inTurns) struct FriendTableTests {
    /// A column: how A stands to B before.
    enum Column: String, CaseIterable {
        case none, outgoing, incoming, friends
        case aBlocksB = "A blocks B"
        case bBlocksA = "B blocks A"
        case bothBlock = "both block"

        /// Acts of A (0) and B (1) that lead there.
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

    struct Cell: Sendable, CustomTestStringConvertible {
        var action: FriendAction
        var column: Column
        /// What A is answered; nil: 409 `unblock_first`.
        var answer: Relationship?
        /// How B stands to A afterwards.
        var other: Relationship
        var testDescription: String { "\(action), \(column.rawValue)" }

        init(_ action: FriendAction, _ column: Column, _ answer: Relationship?, _ other: Relationship) {
            (self.action, self.column, self.answer, self.other) = (action, column, answer, other)
        }
    }

    static let cells = [
        Cell(.want, .none, .outgoing, .incoming), Cell(.want, .outgoing, .outgoing, .incoming),
        Cell(.want, .incoming, .friends, .friends), Cell(.want, .friends, .friends, .friends),
        Cell(.want, .aBlocksB, nil, .none), Cell(.want, .bBlocksA, .outgoing, .blocked),
        Cell(.want, .bothBlock, nil, .blocked),
        Cell(.unwant, .none, Relationship.none, .none), Cell(.unwant, .outgoing, Relationship.none, .none),
        Cell(.unwant, .incoming, Relationship.none, .outgoing),
        Cell(.unwant, .friends, Relationship.none, .none), Cell(.unwant, .aBlocksB, .blocked, .none),
        Cell(.unwant, .bBlocksA, Relationship.none, .blocked), Cell(.unwant, .bothBlock, .blocked, .blocked),
        Cell(.block, .none, .blocked, .none), Cell(.block, .outgoing, .blocked, .none),
        Cell(.block, .incoming, .blocked, .outgoing), Cell(.block, .friends, .blocked, .none),
        Cell(.block, .aBlocksB, .blocked, .none), Cell(.block, .bBlocksA, .blocked, .blocked),
        Cell(.block, .bothBlock, .blocked, .blocked),
        Cell(.unblock, .none, Relationship.none, .none), Cell(.unblock, .outgoing, .outgoing, .incoming),
        Cell(.unblock, .incoming, .incoming, .outgoing), Cell(.unblock, .friends, .friends, .friends),
        Cell(.unblock, .aBlocksB, Relationship.none, .none),
        Cell(.unblock, .bBlocksA, Relationship.none, .blocked),
        Cell(.unblock, .bothBlock, Relationship.none, .blocked),
    ]

    @Test func `the cells below are all there are`() {
        let named = Set(Self.cells.map(\.testDescription))
        #expect(named.count == FriendAction.allCases.count * Column.allCases.count)
    }

    @Test(arguments: cells) func `cell`(cell: Cell) async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 2)
            for (side, action) in cell.column.acts {
                try await app.act(action, people[side], on: people[1 - side])
            }
            for repetition in 1...2 {
                let answer = try await app.act(cell.action, people[0], on: people[1])
                #expect(answer.status == (cell.answer == nil ? 409 : 200), "time \(repetition)")
                #expect(answer["relationship"] == cell.answer?.rawValue)
                #expect(answer.code == (cell.answer == nil ? "unblock_first" : nil))
                #expect(try await app.relationship(people[1], people[0]) == cell.other.rawValue)
                #expect(
                    try await app.relationship(people[0], people[1]) == (cell.answer ?? .blocked).rawValue)
            }
            #expect(try await app.brokenMirrors() == 0)
        }
    }

    @Test(arguments: cells) func `a second call of the same writes nothing`(cell: Cell) async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 2)
            for (side, action) in cell.column.acts {
                try await app.act(action, people[side], on: people[1 - side])
            }
            try await app.act(cell.action, people[0], on: people[1])
            let before = try await rows(app)
            try await app.act(cell.action, people[0], on: people[1])
            #expect(try await rows(app) == before)
        }
    }

    private func rows(_ app: TestApp) async throws -> [String] {
        try await app.db.read.query("SELECT r::text FROM relationships r ORDER BY 1") { try $0.next() }
    }

    /// Every state that acts can lead to, and every act in it, by the model.
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

    @Test func `what was asked under a block stays hidden when the block is lifted, until asked again`()
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

    @Test func `nobody is related to themselves`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 1)
            for action in FriendAction.allCases {
                let answer = try await app.act(action, people[0], on: people[0])
                #expect((answer.status, answer.code) == (422, "self_relationship"))
            }
            #expect(try await app.count("relationships") == 0)
        }
    }

    @Test func `who has no account or is suspended cannot act`() async throws {
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
