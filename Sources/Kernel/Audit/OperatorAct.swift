/// What an operator does to a user, a link, a webhook, a campaign, a key or a person, and how people sign in,
/// as the audit keeps it.
package struct OperatorAct: Sendable {
    package var actor: AuditActor
    package var kind: Kind
    /// The user whom it is about. Nil if it is about something else.
    package var user: User.ID?
    /// The operator's reason. Nil only for acts that never asked for one: suspending, lifting a suspension or
    /// a freeze, calls as the user or as a backend, simulated purchases, dealt codes, all acts on webhooks,
    /// campaigns, keys and people, sign-ins, and publications by commands.
    package var reason: OperatorReason?
    /// Further details. They never hold a user's name, which would outlive the account.
    package var details: [String: String] = [:]

    package init(
        by actor: AuditActor, kind: Kind, user: User.ID? = nil, reason: OperatorReason? = nil,
        details: [String: String] = [:]
    ) {
        self.actor = actor
        self.kind = kind
        self.user = user
        self.reason = reason
        self.details = details
    }

    package enum Kind: String, CaseIterable, Sendable {
        case suspend, restore, freeze, unfreeze, rename, delete
        case revokeInvite = "revoke_invite"
        case undoInvites = "undo_invites"
        /// The operator makes a call with `Kith-User`.
        case actAs = "act_as"
        /// The operator makes a call that backends make too.
        case call
        case createWebhook = "create_webhook"
        case changeWebhook = "change_webhook"
        case rotateWebhook = "rotate_webhook"
        case deleteWebhook = "delete_webhook"
        case redeliverWebhook = "redeliver_webhook"
        case testWebhook = "test_webhook"
        case loadOfferCodes = "load_offer_codes"
        /// The operator deals an offer code to the user, and sees it.
        case dealOffer = "deal_offer"
        case simulatePurchase = "simulate_purchase"
        case decideReward = "decide_reward"
        case publish
        case putDraft = "put_draft"
        case deleteDraft = "delete_draft"
        case putTestDevice = "put_test_device"
        case deleteTestDevice = "delete_test_device"
        case createKey = "create_key"
        case revokeKey = "revoke_key"
        /// A person gets roles, for the first time or others.
        case setPerson = "set_person"
        case removePerson = "remove_person"
        case createSignInLink = "create_sign_in_link"
        case signIn = "sign_in"
        case signInRefused = "sign_in_refused"
        case signOut = "sign_out"
        case endSession = "end_session"
    }
}
