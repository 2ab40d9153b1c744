package import Foundation
import HTTPTypes
import Hummingbird
package import Web

extension User.Listed: ResponseEncodable {}

/// A user as they see themselves.
package typealias UserResponse = User.Listed<User.Account>

extension User {
    /// What a user sees of their account beside the profile.
    package struct Account: Encodable, Sendable {
        let status: Status
        let createdAt: Date
        /// What the user's invites may do. It is absent in the answer to a sign-up, which stays as it was
        /// first given.
        var invites: InviteMode?

        package init(status: Status, createdAt: Date, invites: InviteMode? = nil) {
            (self.status, self.createdAt, self.invites) = (status, createdAt, invites)
        }
    }
}

extension UserResponse {
    package init(_ user: User) {
        self.init(
            user.profile,
            User.Account(status: user.status, createdAt: user.createdAt, invites: user.inviting))
    }
}

package extension User.UID {
    /// Returns the uid in a query or body, or throws a 400.
    static func checked(_ text: String, _ field: String = "uid") throws(Problem) -> User.UID {
        guard let uid = User.UID(text) else { throw .invalid(field, "must be a uid of 1 to 128 characters") }
        return uid
    }

    /// Returns the uids in a body, or throws a 400.
    static func requested(
        _ texts: [String], _ field: String, atMost most: Int = Query.maxUsers
    ) throws(Problem) -> [User.UID] {
        let uids = texts.compactMap { User.UID($0) }
        guard (1...most).contains(texts.count), uids.count == texts.count else {
            throw .invalid(field, "must be 1 to \(most) uids of 1 to 128 characters")
        }
        return uids
    }
}

/// Each of these reads a name in a body, or throws a 422. An empty one means none.
extension DisplayName {
    package static func requested(_ text: String?) throws(Problem) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard let name = DisplayName(text) else {
            throw Problem(
                .unprocessableContent, "display_name_invalid",
                "`displayName` must be one line of 1 to 100 characters, at most 300 bytes.",
                field: "displayName")
        }
        return name.text
    }
}

extension AvatarURL {
    package static func requested(_ text: String?, allowed: AvatarHosts) throws(Problem) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard let url = AvatarURL(text, allowed: allowed) else {
            let detail =
                allowed == .none
                ? "This server allows no avatars: its operator names their hosts in KITH_AVATAR_HOSTS."
                : "`avatarUrl` must be an https URL of up to 512 ASCII characters on one of the hosts that this server "
                    + "allows, without credentials, a port other than 443, fragment or quotes: \(allowed.names.joined(separator: ", "))."
            throw Problem(.unprocessableContent, "avatar_url_invalid", detail, field: "avatarUrl")
        }
        return url.text
    }
}

extension User.Metadata {
    package static func requested(_ strings: [String: String]?) throws(Problem) -> User.Metadata? {
        guard let strings, !strings.isEmpty else { return nil }
        guard let metadata = User.Metadata(strings) else {
            throw Problem(
                .unprocessableContent, "metadata_invalid",
                "`metadata` must be up to 16 strings without control characters, 1,024 bytes as JSON, by keys of 1 to 64 "
                    + "of A-Z a-z 0-9 _ . -", field: "metadata")
        }
        return metadata
    }
}
