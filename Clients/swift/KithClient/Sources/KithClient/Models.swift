import Foundation

/// What everybody may know about a user.
public struct Profile: Codable, Hashable, Sendable, Identifiable {
    /// The text by which your identity provider names the user; it never changes.
    public let uid: String
    public let username: String
    public let displayName: String?
    public let avatarUrl: String?
    public let metadata: [String: String]?

    public var id: String { uid }
    /// The name to show.
    public var name: String { displayName ?? username }
}

/// A user who may be gone: then only uid and relationship are known.
public struct Person: Codable, Hashable, Sendable, Identifiable {
    public let uid: String
    public let relationship: Relationship
    public let username: String?
    public let displayName: String?
    public let avatarUrl: String?
    public let metadata: [String: String]?
    /// Since when they are friends, or the request or block stands.
    public let since: Date?

    public var id: String { uid }
    /// The name to show; nil if the user is gone.
    public var name: String? { displayName ?? username }
}

/// A friend in a list.
public struct Friend: Codable, Hashable, Sendable, Identifiable {
    public let uid: String
    public let username: String
    public let displayName: String?
    public let avatarUrl: String?
    public let metadata: [String: String]?
    public let since: Date

    public var id: String { uid }
    public var name: String { displayName ?? username }
}

/// A request that waits for an answer. For a user who is gone, only the uid and the time.
public struct FriendRequest: Codable, Hashable, Sendable, Identifiable {
    public let uid: String
    public let username: String?
    public let displayName: String?
    public let avatarUrl: String?
    public let metadata: [String: String]?
    public let requestedAt: Date
    public let mutualFriends: Int?

    public var id: String { uid }
    public var name: String? { displayName ?? username }
}

/// The caller's permanent link.
public struct InviteLink: Codable, Hashable, Sendable {
    public let url: URL
    public let shortUrl: URL
    public let code: String
    public let qr: QR

    /// Pictures of the QR symbol.
    public struct QR: Codable, Hashable, Sendable {
        public let svg: URL
        public let png: URL
    }
}

/// The caller's account.
public struct Account: Codable, Hashable, Sendable {
    public let uid: String
    public let username: String
    public let displayName: String?
    public let avatarUrl: String?
    public let metadata: [String: String]?
    public let createdAt: Date
    /// Absent in the answer to a sign-up.
    public let invites: Inviting?
}

/// What an app needs when it starts.
public struct Me: Codable, Hashable, Sendable {
    public let uid: String
    public let username: String
    public let displayName: String?
    public let avatarUrl: String?
    public let metadata: [String: String]?
    public let createdAt: Date
    public let invites: Inviting?
    public let invitedBy: Profile?
    public let link: InviteLink
    public let counts: Counts

    public struct Counts: Codable, Hashable, Sendable {
        public let friends, incoming, outgoing: Int
    }
}

/// What a sign-up did.
public struct SignUp: Codable, Hashable, Sendable {
    public let user: Account
    /// To share at once; absent if the server could not make it yet: then `me()` has it.
    public let link: InviteLink?
    public let invite: Invite

    public struct Invite: Codable, Hashable, Sendable {
        public let outcome: InviteOutcome
        public let friendship: Friendship
        public let inviter: Profile?
        public let reason: IgnoredReason?
    }
}

/// Who invites, and what accepting makes.
public struct ResolvedInvite: Codable, Hashable, Sendable {
    public let inviter: Profile
    public let proof: InviteProof
    public let friendship: Friendship
    public let relationship: Relationship?
}

/// What accepting an invite made.
public struct AcceptedInvite: Codable, Hashable, Sendable {
    public let inviter: Profile
    public let friendship: Friendship
}

/// The invite by which the app was installed, or the deep link, or the deep link that is an invite.
public struct KithClaim: Codable, Hashable, Sendable {
    public let confidence: Confidence
    /// Names the invite at sign-up; nil if there is none, as the next three.
    public let claim: String?
    public let inviter: Profile?
    public let proof: InviteProof?
    public let friendship: Friendship?
    public let deepLink: DeepLink?

    /// The invite to sign up with.
    var invite: KithInvite? { claim == nil ? nil : .claim(self) }
}

/// A deep link that opened the app, or by which it was installed.
public struct DeepLink: Codable, Hashable, Sendable {
    public let url: URL
    /// Where it leads by now: show this.
    public let target: URL
    /// `amv`, `imv` and the campaign, if the link has them.
    public let parameters: [String: String]
}

/// Whether the caller can take a name.
public struct Availability: Codable, Hashable, Sendable {
    public let username: String
    public let available: Bool
    public let reason: UnavailableReason?
}

/// A page of a list; without `next` it is the last.
public struct Page<Entry: Sendable>: Sendable {
    public let entries: [Entry]
    public let next: String?
}

/// What to change of the profile. In JSON for Kith an absent member and null are the same, and an empty text
/// removes; this type says which is meant.
public struct ProfileChange: Encodable, Hashable, Sendable {
    public var displayName: Change<String>
    public var avatarUrl: Change<String>
    /// All of it: metadata is replaced as a whole.
    public var metadata: Change<[String: String]>
    public var invites: Inviting?

    public enum Change<Value: Hashable & Sendable>: Hashable, Sendable { case keep, remove, set(Value) }

    public init(
        displayName: Change<String> = .keep, avatarUrl: Change<String> = .keep,
        metadata: Change<[String: String]> = .keep, invites: Inviting? = nil
    ) {
        (self.displayName, self.avatarUrl, self.metadata) = (displayName, avatarUrl, metadata)
        self.invites = invites
    }

    private enum CodingKeys: CodingKey { case displayName, avatarUrl, metadata, invites }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(displayName.sent(empty: ""), forKey: .displayName)
        try members.encodeIfPresent(avatarUrl.sent(empty: ""), forKey: .avatarUrl)
        try members.encodeIfPresent(metadata.sent(empty: [:]), forKey: .metadata)
        try members.encodeIfPresent(invites, forKey: .invites)
    }
}

extension ProfileChange.Change {
    fileprivate func sent(empty: Value) -> Value? {
        switch self {
        case .keep: nil
        case .remove: empty
        case .set(let value): value
        }
    }
}
