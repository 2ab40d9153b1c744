import Foundation

/// Why the server refused a call (RFC 9457). Calls throw this, `URLError` if there was no answer,
/// `DecodingError` if it could not be read, what your token hook throws, and `CancellationError`.
public struct KithProblem: Error, Codable, Hashable, Sendable {
    public let status: Int
    public let code: Code
    /// For people; it may change.
    public let detail: String?
    /// The member, parameter or header at fault.
    public let field: String?
    /// With it an operator finds the call in the log.
    public let requestId: String?
    /// After how many seconds to try again; from the header `Retry-After`.
    public internal(set) var retryAfter: Double?

    /// What went wrong, for programs. `ProblemCode` in openapi.yaml explains each; take one that
    /// you do not know by the status.
    public struct Code: OpenValue {
        public static let invalidField: Self = "invalid_field"
        public static let tokenExpired: Self = "token_expired"
        public static let forbidden: Self = "forbidden"
        public static let notSignedUp: Self = "not_signed_up"
        public static let accountDeleted: Self = "account_deleted"
        public static let accountSuspended: Self = "account_suspended"
        public static let userNotFound: Self = "user_not_found"
        public static let notFound: Self = "not_found"
        public static let claimNotFound: Self = "claim_not_found"
        public static let inviteNotFound: Self = "invite_not_found"
        public static let inviteExpired: Self = "invite_expired"
        public static let inviteExhausted: Self = "invite_exhausted"
        public static let inviteRevoked: Self = "invite_revoked"
        public static let usernameTaken: Self = "username_taken"
        public static let usernameInvalid: Self = "username_invalid"
        public static let usernameCooldown: Self = "username_cooldown"
        public static let profileCooldown: Self = "profile_cooldown"
        public static let displayNameInvalid: Self = "display_name_invalid"
        public static let alreadySignedUp: Self = "already_signed_up"
        public static let changedMeanwhile: Self = "changed_meanwhile"
        public static let friendLimitSelf: Self = "friend_limit_self"
        public static let friendLimitOther: Self = "friend_limit_other"
        public static let requestLimitSelf: Self = "request_limit_self"
        public static let requestLimitOther: Self = "request_limit_other"
        public static let blockLimit: Self = "block_limit"
        public static let unblockFirst: Self = "unblock_first"
        public static let selfInvite: Self = "self_invite"
        public static let selfRelationship: Self = "self_relationship"
        public static let reloadRequired: Self = "reload_required"
        /// The operator closed the service: users can only read, export and delete what is theirs.
        public static let serviceClosed: Self = "service_closed"
        public static let campaignNotFound: Self = "campaign_not_found"
        public static let campaignEmpty: Self = "campaign_empty"
        public static let campaignBudgetUsed: Self = "campaign_budget_used"
        /// The purchase is another user's.
        public static let purchaseTaken: Self = "purchase_taken"
        public static let purchaseUnsigned: Self = "purchase_unsigned"
        public static let purchaseOfOtherApp: Self = "purchase_of_other_app"
        public static let appStoreNotSetUp: Self = "appstore_not_set_up"
        public static let rateLimited: Self = "rate_limited"
        public static let rotationLimit: Self = "rotation_limit"
        public static let unavailable: Self = "unavailable"
        /// The answer is none of Kith's, as of a proxy on the way.
        public static let unexpectedAnswer: Self = "unexpected_answer"

        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}
