import Foundation
import Testing

@testable import Numbers

/// Which branches of the tree of invites grow.
struct BranchesTests {
    private let people = (0..<8).map { _ in UUID() }

    @Test func `a chain is told once, by the user below whom all of it grew`() {
        // 0 brought 1 long ago, and 1 brought 2; all the newcomers came by 2.
        var branches = Branches((3...7).map { (invitee: people[$0], inviter: people[2]) })
        branches.climb([people[2]: people[1]])
        branches.climb([people[1]: people[0]])
        branches.climb([:])
        #expect(branches.open.isEmpty)
        #expect(branches.fastest(9).map(\.user) == [people[2]])
        #expect(branches.joined[people[0]] == 5 && branches.direct[people[0]] == nil)
    }

    @Test func `two branches of one user are told beside that user`() {
        var branches = Branches([
            (people[3], people[1]), (people[4], people[1]), (people[5], people[2]), (people[6], people[2]),
        ])
        branches.climb([people[1]: people[0], people[2]: people[0]])
        #expect(branches.fastest(9).map(\.joined) == [4, 2, 2])
        #expect(branches.fastest(1).map(\.user) == [people[0]])
    }

    @Test func `whoever came lately and brings others counts for those above, each once`() {
        // 0 brought 1, who brought 2, who brought 3, all within the time.
        var branches = Branches([(people[1], people[0]), (people[2], people[1]), (people[3], people[2])])
        branches.climb([people[1]: people[0], people[2]: people[1]])
        branches.climb([people[1]: people[0]])
        #expect(branches.joined == [people[0]: 3, people[1]: 2, people[2]: 1])
    }
}
