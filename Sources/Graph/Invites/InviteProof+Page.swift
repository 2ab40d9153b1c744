package import Kernel
package import Web

extension InviteProof {
    /// Returns the link with which a user's page is opened, even if it is dead. Nil if it has no code, or the
    /// code is cut, unknown or somebody else's.
    /// - Parameter invitation: the page's invitation.
    package func link(
        _ query: Query, of user: User.Profile, _ invitation: LinkTarget.Invitation,
        from address: ClientAddress?
    ) async throws -> FoundLink? {
        guard invitation.isOfUID, let code = try query.code, let link = try await find(code, from: address),
            link.invite.inviter.uid == user.uid
        else { return nil }
        return link
    }
}

extension LinkTarget.Invitation {
    /// Whether the link has the uid of the user whose page it is.
    package var isOfUID: Bool { self == .friends || self == .request }
}

extension Query {
    /// The code of a custom link. Nil if it is missing or malformed.
    package var code: Invite.Code? {
        get throws(Problem) {
            try StuckText.query(self).encoded("code").flatMap { Invite.Code(inLink: Substring($0)) }
        }
    }
}
