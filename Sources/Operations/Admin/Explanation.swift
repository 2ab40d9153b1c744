import Foundation

/// Why a link leads where it leads: what decided, by which facts, and with what result.
package struct Explanation: Encodable, Sendable {
    var url: String
    /// The steps from the link to the page, with every redirect of Kith between them.
    var steps: [Step] = []
    /// The user of the uid in the link. Nil if there is no uid, or Kith does not know it.
    var inviter: UserRecord?
    var name: Name?
    var code: Code?
    var deepLink: Linked?
    /// The result for a user who signs up with it, and for a user with an account.
    var signingUp = Outcome()
    var accepting = Outcome()

    struct Step: Encodable, Sendable {
        var url: String
        /// The table of docs/rules.md or docs/deep-links.md. Nil if no table decides it.
        var table: Table?
        var row: Int?
        /// The row of "A page opened with a code", if the page has one.
        var codeRow: Int?
        /// What the row says, for this link.
        var because: String
        /// What a visitor gets. Nil if the link is not of this server, and wraps the link of the next step.
        var status: Int?
        var location: String?

        enum Table: String, Encodable, Sendable {
            case link, code, deepLink
        }
    }

    struct Name: Encodable, Sendable {
        var name: String
        /// When the uid's user had the name, newest first.
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
        /// Who revoked it, as the audit names them, and why. Nil if its owner did, or nobody whom it names.
        var revokedBy: String?
        var revokeReason: String?

        enum State: String, Encodable, Sendable {
            case inForce, revoked, expired, usedUp
            /// Nobody has the code.
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
        /// The destinations of visitors that differ.
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
        /// The result with the API's word: `friends`, `requested`, or the reason why there is nothing.
        var result = "none"
        var text = ""
    }
}
