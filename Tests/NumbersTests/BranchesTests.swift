import Foundation
import Testing

@testable import Numbers

/// Who began what grows in the tree of invites.
struct BranchesTests {
    private let people = (0..<8).map { _ in UUID() }

    private func told(_ branches: Branches, bystanders: Set<UUID> = []) -> [UUID: Int] {
        let rows = branches.roots().flatMap { $0.told(isBystander: bystanders.contains($0.user)) }
        #expect(Set(rows.map(\.user)).count == rows.count, "nobody is told twice")
        return Dictionary(rows.map { ($0.user, $0.joined) }) { $0 + $1 }
    }

    @Test func `a way up ends with the first who is no newcomer`() {
        // 0 brought 1 long ago. 1 brought 2 yesterday, by whom all came today.
        var branches = Branches((3...7).map { (invitee: people[$0], inviter: people[2]) })
        #expect(branches.open == [people[2]])
        branches.climb([people[2]: people[1]])
        #expect(branches.open == [people[1]])
        branches.climb([:])
        #expect(branches.open.isEmpty)
        #expect(told(branches) == [people[1]: 5])
        #expect(branches.direct == [people[2]: 5])
        #expect(told(branches, bystanders: [people[1]]) == [people[2]: 5])
    }

    @Test func `two who were there before are told beside each other, whoever brought them`() {
        let branches = Branches([
            (people[3], people[1]), (people[4], people[1]), (people[5], people[2]), (people[6], people[2]),
        ])
        #expect(told(branches) == [people[1]: 2, people[2]: 2])
    }

    @Test(arguments: [1, 150, 20_000])
    func `a chain is told whole, by who began it, however long it is`(length: Int) {
        let chain = (0...length).map { _ in UUID() }
        let branches = Branches(zip(chain.dropFirst(), chain).map { ($0, $1) }.shuffled())
        #expect(told(branches) == [chain[0]: length])
        // Whoever brought others long before stands aside, if anybody came below the newcomer at all.
        let aside = length > 1 ? [chain[1]: length - 1] : [chain[0]: 1]
        #expect(told(branches, bystanders: [chain[0]]) == aside)
    }

    @Test(
        arguments: [
            // Of a bystander who brought so many: how many came below each newcomer, and who is told.
            ("a star is whoever's code it was", 200, [], [], 200),
            ("a wave beside some innocent people", 60, [150], [150], 60),
            ("a wave that is nearly all", 3, [150], [150], nil),
            ("two waves", 2, [100, 100], [100, 100], 2),
            ("a wave among very many", 1000, [20], [20], 1000), ("a few among many", 1000, [19], [], 1019),
            ("many newcomers who bring one each are one wave", 150, Array(repeating: 1, count: 150), [], 300),
            ("so are those who bring nineteen", 10, Array(repeating: 19, count: 10), [], 200),
        ] as [(String, Int, [Int], [Int], Int?)])
    func `what grew below a bystander is told by whoever began it`(
        comment: String, direct: Int, below: [Int], apart: [Int], rest: Int?
    ) {
        let bystander = UUID()
        let children = (0..<direct).map { _ in UUID() }
        let joinings =
            children.map { (invitee: $0, inviter: bystander) }
            + zip(children, below).flatMap { child, many in
                (0..<many).map { _ in (invitee: UUID(), inviter: child) }
            }
        let branches = Branches(joinings.shuffled())
        #expect(told(branches) == [bystander: direct + below.reduce(0, +)], "\(comment)")
        var expected = Dictionary(uniqueKeysWithValues: zip(children, apart))
        expected[bystander] = rest
        #expect(told(branches, bystanders: [bystander]) == expected, "\(comment)")
    }

    @Test func `branches inside a branch are told with it, once`() {
        // 1 came by 0 and brings 2 and others; 2 brings 3 and others.
        let (a, b, c) = (people[1], people[2], people[3])
        var joinings = [(invitee: a, inviter: people[0]), (b, a), (c, b)]
        for (inviter, many) in [(a, 30), (b, 40), (c, 20)] {
            joinings += (0..<many).map { _ in (UUID(), inviter) }
        }
        #expect(told(Branches(joinings)) == [people[0]: 93])
        #expect(told(Branches(joinings), bystanders: [people[0]]) == [a: 92])
    }

    @Test(arguments: 1...20)
    func `each joining counts in one place, whoever is a bystander`(seed: UInt64) {
        var state = seed
        func random(_ below: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % below
        }
        let old = (0..<5).map { _ in UUID() }
        var all = old
        var joinings: [(invitee: UUID, inviter: UUID)] = []
        for _ in 0..<300 {
            joinings.append(
                (UUID(), all[random(3) == 0 ? random(all.count) : all.count - 1 - random(min(5, all.count))]))
            all.append(joinings[joinings.count - 1].invitee)
        }
        for bystanders in [[], Set(old)] {
            for root in Branches(joinings).roots() {
                let rows = root.told(isBystander: bystanders.contains(root.user))
                let sum = rows.reduce(0) { $0 + $1.joined }
                let isWhole = !bystanders.contains(root.user) || rows.contains { $0.user == root.user }
                #expect(
                    isWhole ? sum == root.joined : 5 * (sum + rows.count) >= 4 * root.joined, "seed \(seed)")
            }
            #expect(Branches(joinings).roots().reduce(0) { $0 + $1.joined } == 300, "seed \(seed)")
        }
    }

    @Test func `a circle, which only an import can make, hides nobody for long`() {
        let circle = (0..<3).map { (invitee: people[$0], inviter: people[($0 + 1) % 3]) }
        let branches = Branches(circle + (3...7).map { (people[$0], people[1]) })
        let roots = branches.roots()
        #expect(roots.count == 1 && roots[0].joined == 7, "all but the one where it is cut")
    }
}
