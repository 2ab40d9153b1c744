import Kernel
import Web

/// The body that deals codes to users: `{"uids": ["u-ann"]}`.
struct OfferDealsRequest: JSONBody, Sendable {
    let uids: [String]

    enum CodingKeys: CodingKey, CaseIterable { case uids }

    private static let mostUsers = 500

    /// Returns the users, each once. Throws a 400 that names the field.
    func users() throws(Problem) -> [User.UID] {
        let uids = try User.UID.requested(uids, "uids", atMost: Self.mostUsers)
        return uids.reduce(into: (seen: Set<User.UID>(), all: [User.UID]())) { users, uid in
            if users.seen.insert(uid).inserted { users.all.append(uid) }
        }.all
    }
}
