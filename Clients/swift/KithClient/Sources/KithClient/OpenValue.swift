/// A value of an enum to which newer servers may add. One that you do not know stands as it came: `switch`
/// with a `default` in which nothing is done.
public protocol OpenValue: RawRepresentable, Codable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
where RawValue == String {
    init(rawValue: String)
}

extension OpenValue {
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    public var description: String { rawValue }
}

/// How a user stands to the caller, as the caller sees it.
public struct Relationship: OpenValue {
    public static let none: Self = "none"
    /// The caller asked.
    public static let outgoing: Self = "outgoing"
    /// The other user asked.
    public static let incoming: Self = "incoming"
    public static let friends: Self = "friends"
    public static let blocked: Self = "blocked"

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// What came of an invite, or would come.
public struct Friendship: OpenValue {
    public static let none: Self = "none"
    public static let requested: Self = "requested"
    /// The inviter's request waits for the user: their link makes friends, but that it was theirs is only
    /// likely.
    public static let incoming: Self = "incoming"
    public static let friends: Self = "friends"

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// What an invite did at sign-up.
public struct InviteOutcome: OpenValue {
    public static let accepted: Self = "accepted"
    public static let ignored: Self = "ignored"
    public static let none: Self = "none"

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// Why an invite was ignored.
public struct IgnoredReason: OpenValue {
    public static let notFound: Self = "not_found"
    public static let expired: Self = "expired"
    public static let exhausted: Self = "exhausted"
    public static let revoked: Self = "revoked"
    public static let oneself: Self = "self"
    public static let limitReached: Self = "limit_reached"

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// What proves an invite.
public struct InviteProof: OpenValue {
    public static let current: Self = "current"
    public static let past: Self = "past"
    public static let code: Self = "code"
    public static let nameOnly: Self = "name_only"

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// How sure it is that this installation came by an invite.
public struct Confidence: OpenValue {
    public static let exact: Self = "exact"
    /// Only facts of the phone agreed, so it makes no friends by itself: ask your user whether this inviter
    /// invited them.
    public static let likely: Self = "likely"

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// Why nobody, or not this caller, can take a name.
public struct UnavailableReason: OpenValue {
    public static let taken: Self = "taken"
    public static let reserved: Self = "reserved"
    public static let tooShort: Self = "too_short"
    public static let tooLong: Self = "too_long"
    public static let characters: Self = "characters"
    public static let firstCharacter: Self = "first_character"
    public static let doubleUnderscore: Self = "double_underscore"

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// What users let their invites do.
public struct Inviting: OpenValue {
    public static let auto: Self = "auto"
    public static let ask: Self = "ask"
    public static let off: Self = "off"

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}
