extension LinkFactsStore {
    /// Where a link `/users/{spelling}?{query}` leads, and how many friends the inviter has. Throws a 400 for a uid given twice.
    func decide(_ spelling: String, _ query: Query) async throws -> (ruling: Decision, friends: Int?) {
        let encodedUID = try query.encoded("invitedBy")
        guard let name = PercentEncoding.decode(spelling.utf8).flatMap({ Username.Key($0) }) else {
            return (Decision(row: 9, landing: .notFound), nil)
        }
        // A link that was cut on its way has an invalid uid: treat it as an unknown one, since people open it.
        let inviter = encodedUID.flatMap { PercentEncoding.decode($0) }.flatMap { User.UID($0) }
            .map(User.ID.init(of:))
        let facts = try await facts(name: name, inviter: inviter)
        let ruling = LinkTarget.decide(
            name: name, spelling: spelling, hasUID: encodedUID != nil, facts: facts)
        return (ruling, facts.inviter?.friends)
    }
}
