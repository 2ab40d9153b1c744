import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel

/// The landing table as a pure function: one test for each row.
@Suite struct LinkDecisionTests {
    private let ann = User.Profile(uid: "u-ann", username: "ann", displayName: nil)
    private let bob = User.Profile(uid: "u-bob", username: "bob", displayName: nil)

    private func rule(_ name: String, spelling: String? = nil, hasUID: Bool = true, _ facts: LinkFacts)
        -> LinkDecision
    {
        LinkDecision.decide(
            name: Username.Key(of: name), spelling: spelling ?? name, hasUID: hasUID, facts: facts)
    }

    private func inviter(
        isActive: Bool = true, complete: Bool = true, had: Bool = false, severed: Bool = false
    ) -> LinkFacts.Inviter {
        .init(
            profile: ann, isActive: isActive, historyIsComplete: complete, hadName: had, severedName: severed)
    }

    @Test func `row 1: the current name is the page`() {
        let facts = LinkFacts(inviter: inviter(had: true), nameIsKnown: true)
        #expect(rule("ann", facts) == LinkDecision(row: 1, target: .page(ann, .friends)))
    }

    @Test(arguments: ["Ann", "ANN", "%61nn"])
    func `row 1: another spelling redirects to the canonical one`(spelling: String) {
        let facts = LinkFacts(inviter: inviter(had: true), nameIsKnown: true)
        #expect(rule("ann", spelling: spelling, facts) == LinkDecision(row: 1, target: .redirect(ann)))
    }

    @Test func `row 1: a user whose invites are frozen has the page without an invite`() {
        var ann = inviter(had: true)
        ann.inviting = .off
        let facts = LinkFacts(inviter: ann, nameIsKnown: true)
        #expect(rule("ann", facts) == LinkDecision(row: 1, target: .page(ann.profile, .none)))
        #expect(rule("ann", spelling: "Ann", facts) == LinkDecision(row: 1, target: .redirect(ann.profile)))
        #expect(rule("bob", facts) == LinkDecision(row: 2, target: .redirect(ann.profile)))
    }

    @Test func `row 1: a name that was severed and taken again is the current one`() {
        let facts = LinkFacts(inviter: inviter(had: true, severed: true), nameIsKnown: true)
        #expect(rule("ann", facts) == LinkDecision(row: 1, target: .page(ann, .friends)))
    }

    @Test func `row 2: a past name redirects, whoever has it now`() {
        let facts = LinkFacts(inviter: inviter(had: true), nameIsKnown: true)
        #expect(rule("bob", facts) == LinkDecision(row: 2, target: .redirect(ann)))
    }

    @Test func `row 3: a severed name leads nowhere`() {
        let facts = LinkFacts(inviter: inviter(severed: true), nameIsKnown: true)
        #expect(rule("bob", facts) == LinkDecision(row: 3, target: .notFound))
    }

    @Test func `row 4: a name that is or was another's leads nowhere`() {
        let facts = LinkFacts(inviter: inviter(), nameIsKnown: true)
        #expect(rule("bob", facts) == LinkDecision(row: 4, target: .notFound))
    }

    @Test func `row 4: it leads nowhere for an imported user, too`() {
        let facts = LinkFacts(inviter: inviter(complete: false), nameIsKnown: true)
        #expect(rule("bob", facts) == LinkDecision(row: 4, target: .notFound))
    }

    @Test func `row 5: a name that nobody had leads nowhere, or redirects if the history is incomplete`() {
        #expect(rule("zoe", LinkFacts(inviter: inviter())) == LinkDecision(row: 5, target: .notFound))
        #expect(
            rule("zoe", LinkFacts(inviter: inviter(complete: false)))
                == LinkDecision(row: 5, target: .redirect(ann)))
    }

    @Test(arguments: ["ann", "bob", "zoe"])
    func `row 6: an inactive inviter leads nowhere under any name`(name: String) {
        let facts = LinkFacts(inviter: inviter(isActive: false, had: true), nameIsKnown: true)
        #expect(rule(name, facts) == LinkDecision(row: 6, target: .notFound))
    }

    @Test func `row 7: an unknown uid shows the name's owner, without an invite`() {
        let facts = LinkFacts(owner: bob)
        #expect(rule("bob", facts) == LinkDecision(row: 7, target: .page(bob, .none)))
    }

    @Test func `row 8: no uid leads on from a name that is held, if such names lead on`() {
        let facts = LinkFacts(holder: ann)
        #expect(rule("old", hasUID: false, facts) == LinkDecision(row: 8, target: .redirect(ann)))
        #expect(rule("old", facts) == LinkDecision(row: 9, target: .notFound))
        #expect(
            rule("bob", hasUID: false, LinkFacts(owner: bob, holder: ann)).target == .page(bob, .nameOnly))
    }

    @Test func `row 8: no uid shows the name's owner, with an invite that asks`() {
        let facts = LinkFacts(owner: bob)
        #expect(rule("bob", hasUID: false, facts) == LinkDecision(row: 8, target: .page(bob, .nameOnly)))
    }

    @Test func `row 8: a user whose invites are frozen has the page without an invite`() {
        let facts = LinkFacts(owner: bob, ownerInviting: .off)
        #expect(rule("bob", hasUID: false, facts) == LinkDecision(row: 8, target: .page(bob, .none)))
    }

    @Test(arguments: [true, false])
    func `row 9: otherwise it leads nowhere`(hasUID: Bool) {
        let facts = LinkFacts()
        #expect(rule("bob", hasUID: hasUID, facts) == LinkDecision(row: 9, target: .notFound))
    }
}
