import Kernel
import Web

package extension LinkFactsStore {
    /// Returns where a user's link leads, and how many friends the inviter has.
    func decide(_ link: UserLink) async throws -> (decision: LinkDecision, friends: Int?) {
        let judgement = try await judge(link)
        return (judgement.decision, judgement.facts.inviter?.friends)
    }

    /// Returns where a user's link leads, and everything by which that was decided.
    func judge(_ link: UserLink) async throws -> LinkJudgement {
        var judgement = LinkJudgement(inviter: link.uid, hasUID: link.hasUID)
        guard let name = link.name else { return judgement }
        let found = try await decision(
            name: name, spelling: link.spelling, inviter: link.uid, hasUID: link.hasUID)
        (judgement.name, judgement.facts, judgement.decision) = found
        if let found = found.facts.inviter { judgement.inviter = found.profile.uid }
        return judgement
    }
}
