package import Kernel
package import Web

/// A user's link as it was handed on, `/users/{name}?invitedBy={uid}`. Kith reads name and uid only here, for
/// pages, pictures, stores, calls and deep links alike.
package struct UserLink: Sendable {
    /// The name as it is spelled in the link.
    package let spelling: String
    package let query: Query
    /// Whether the link has a uid, valid or not.
    package let hasUID: Bool
    /// Whether the link means a uid, but not by an `invitedBy` of its query, so that it leads to nobody.
    package let isMangled: Bool
    /// The uid. Nil if there is none, or if it was cut so that it is invalid: people open such links too.
    package let uid: User.UID?

    /// Reads the link. Throws a 400 for a uid that is given twice.
    package init(_ spelling: String, _ query: Query) throws(Problem) {
        let encoded = try StuckText.query(query).encoded("invitedBy")
        (self.spelling, self.query) = (spelling, query)
        uid = encoded.flatMap { User.UID(inLink: $0) }
        isMangled =
            encoded == nil && (StuckText.mentionsUID(spelling) || StuckText.mentionsUID(query.raw ?? ""))
        hasUID = encoded != nil || isMangled
    }

    /// - Parameter segment: the path segment with the name, perhaps with the query in it.
    package init(segment: String, _ query: Query) throws(Problem) {
        let (spelling, query) = StuckText.parts(segment, query)
        try self.init(spelling, query)
    }

    /// The name. Nil if the spelling is not one.
    package var name: Username.Key? { PercentEncoding.decode(spelling.utf8).flatMap { Username.Key($0) } }

    /// Whether the link has a name and nothing else.
    package var isNameAlone: Bool { name != nil && !hasUID }

    /// The invite in the link. A name with a malformed uid leads nowhere: without a uid it would be a weaker
    /// invite than the one that was meant.
    var reference: InviteReference {
        guard let name, uid != nil || !hasUID else { return .unrecognised }
        guard let uid else { return .name(name, nil) }
        do {
            return try query.code.map { .link($0, name, uid) } ?? .name(name, uid)
        } catch {
            return .unrecognised
        }
    }
}
