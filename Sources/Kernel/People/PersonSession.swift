package import Foundation

/// A browser in which a person is signed in at the console.
package struct PersonSession: Equatable, Sendable {
    /// It is not secret.
    package let id: UUID
    package let person: UUID
    package let email: EmailAddress
    package let roles: Set<Role>
    package let method: SignInMethod
    package let beganAt: Date
    /// When a call last came with it, exact to `noteInterval`.
    package let seenAt: Date
    /// From when on it is refused, however often it is used.
    package let endsAt: Date

    /// The longest time without a call, 12 hours.
    package static let idle: TimeInterval = 12 * 3600
    /// The longest time in all, 7 days.
    package static let longest: TimeInterval = 7 * 86_400
    /// For how long after the sign-in people change keys and people, and delete accounts, 15 minutes.
    package static let fresh: TimeInterval = 15 * 60
    /// How old `seenAt` may be before it is written again: 5 minutes.
    static let noteInterval: TimeInterval = 300

    package var actor: AuditActor { Person.actor(email) }

    func isInForce(at now: Date) -> Bool { now < endsAt && now < seenAt + Self.idle }
}

/// How somebody signed in.
package enum SignInMethod: String, Sendable {
    case link, openid
}
