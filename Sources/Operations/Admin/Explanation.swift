import Foundation

/// Why a link leads where it leads: what decided, by which facts, and what comes of it.
package struct Explanation: Encodable, Sendable {
    var url: String
    /// From the link to the page, with every redirect of Kith between them.
    var steps: [Step] = []
    /// Who the uid in the link is; nil: there is none, or Kith does not know it.
    var inviter: UserRecord?
    var name: Name?
    var code: Code?
    var deepLink: Linked?
    /// What comes of it for somebody who signs up by it, and for a user with an account.
    var signingUp = Outcome()
    var accepting = Outcome()

    struct Step: Encodable, Sendable {
        var url: String
        /// Of docs/rules.md or docs/deep-links.md; nil: no table decides it.
        var table: Table?
        var row: Int?
        /// The row of "A page opened with a code", if the page has one.
        var codeRow: Int?
        /// What the row says, for this link.
        var because: String
        /// What a visitor gets; nil: the link is not of this server, and wraps the one of the next step.
        var status: Int?
        var location: String?

        enum Table: String, Encodable, Sendable {
            case link, code, deepLink
        }
    }

    struct Name: Encodable, Sendable {
        var name: String
        /// When the user of the uid had it, newest first.
        var ofInviter: [NameRecord.Period]
        var now: NameRecord
    }

    package struct Code: Encodable, Sendable {
        var code: String
        var state: State
        var kind: String?
        var owner: UserRecord?
        var friendship: String?
        var uses: Int?
        var maxUses: Int?
        var createdAt: Date?
        var expiresAt: Date?
        var revokedAt: Date?

        enum State: String, Encodable, Sendable {
            case inForce, revoked, expired, usedUp
            /// Nobody has it.
            case unknown
        }
    }

    /// A deep link.
    struct Linked: Encodable, Sendable {
        var domain: String
        var code: String?
        var expiresAt: Date?
        var target: String?
        var parameters: [String: String]
        var leftOut: [LeftOut]
        /// Where visitors go who differ.
        var ways: [Way]

        struct LeftOut: Encodable, Sendable {
            var parameter: String
            var why: String
        }

        struct Way: Encodable, Sendable {
            var visitor: String
            var row: Int
            var status: Int
            var location: String
        }
    }

    struct Outcome: Encodable, Sendable {
        /// As the API names it: `friends`, `requested`, or the reason why there is nothing.
        var result = "none"
        var text = ""
    }
}
