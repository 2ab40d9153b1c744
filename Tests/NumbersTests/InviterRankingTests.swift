import Testing

@testable import AppTesting
@testable import Numbers

/// Who brought most, found among those who ever brought most.
struct InviterRankingTests {
    private typealias Inviter = InviterRanking.Inviter

    @Test func `it ends once nobody else can be among the most`() {
        var ranking = InviterRanking(limit: 2)
        ranking.add(
            [Inviter(id: "d", joined: 3)], of: [Inviter(id: "a", joined: 9), Inviter(id: "d", joined: 8)],
            isLastPart: false)
        #expect(!ranking.isComplete, "two are wanted")
        ranking.add([Inviter(id: "c", joined: 4)], of: [Inviter(id: "c", joined: 5)], isLastPart: false)
        #expect(!ranking.isComplete, "the next may have brought five")
        ranking.add([], of: [Inviter(id: "b", joined: 3)], isLastPart: false)
        #expect(ranking.isComplete, "who brought three and comes behind b comes behind d")
        #expect(ranking.most == [Inviter(id: "c", joined: 4), Inviter(id: "d", joined: 3)])
    }

    @Test func `of those who brought equally many, the next may come before`() {
        var ranking = InviterRanking(limit: 1)
        ranking.add(
            [Inviter(id: "a", joined: 3)], of: [Inviter(id: "a", joined: 9), Inviter(id: "e", joined: 3)],
            isLastPart: false)
        #expect(!ranking.isComplete, "d may have brought three, too")
        ranking.add([Inviter(id: "d", joined: 3)], of: [Inviter(id: "d", joined: 3)], isLastPart: false)
        #expect(ranking.isComplete && ranking.most == [Inviter(id: "d", joined: 3)])
    }

    @Test func `it is what sorting all finds, wherever it ends`() {
        var random = SeededGenerator()
        for limit in [1, 3, 10, 70] {
            for highest in [1, 3, 40] as [Int64] {
                let ever = (0..<60).map {
                    Inviter(id: "u\($0)", joined: .random(in: 1...highest, using: &random))
                }
                .sorted()
                let sums = ever.map { Inviter(id: $0.id, joined: .random(in: 0...$0.joined, using: &random)) }
                    .filter { $0.joined > 0 }
                var (ranking, place) = (InviterRanking(limit: limit), 0)
                while !ranking.isComplete {
                    let part = ever.dropFirst(place).prefix(7)
                    ranking.add(
                        sums.filter { sum in part.contains { $0.id == sum.id } }, of: Array(part),
                        isLastPart: part.count < 7)
                    place += 7
                }
                #expect(ranking.most == Array(sums.sorted().prefix(limit)), "\(ever) \(sums)")
            }
        }
    }
}
