import Kernel
package import Web

package extension LinkFactsStore {
    /// Where a link `/users/{spelling}?{query}` leads, and how many friends the inviter has. Throws a 400 for a uid given twice.
    func decide(_ spelling: String, _ query: Query) async throws -> (ruling: Decision, friends: Int?) {
        let judgement = try await judge(spelling, query)
        return (judgement.ruling, judgement.facts.inviter?.friends)
    }

    /// The same, with all that it was decided by.
    func judge(_ spelling: String, _ query: Query) async throws -> LinkJudgement {
        let encodedUID = try StuckText.query(query).encoded("invitedBy")
        // A link that was cut on its way has an invalid uid: treat it as an unknown one, since people open it.
        let inviter = encodedUID.flatMap { User.UID(inLink: $0) }
        let hasUID =
            encodedUID != nil || StuckText.mentionsUID(spelling) || StuckText.mentionsUID(query.raw ?? "")
        var judgement = LinkJudgement(inviter: inviter, hasUID: hasUID)
        guard let name = PercentEncoding.decode(spelling.utf8).flatMap({ Username.Key($0) }) else {
            return judgement
        }
        let found = try await ruling(
            name: name, spelling: spelling, inviter: inviter, hasUID: judgement.hasUID)
        (judgement.name, judgement.facts, judgement.ruling) = found
        if let found = found.facts.inviter { judgement.inviter = found.profile.uid }
        return judgement
    }
}
