import Foundation
import Hummingbird
import Kernel

/// A person who may sign in.
package struct PersonResponse: ResponseEncodable {
    let email: String
    let roles: [String]
    /// Whether a rule of `KITH_CONSOLE_ROLES` gives them their roles.
    let byRule: Bool
    let createdAt: Date
    let createdBy: String

    init(_ person: Person) {
        (email, roles, byRule) = (person.email.text, person.roles.names, person.isByRule)
        (createdAt, createdBy) = (person.createdAt, person.createdBy)
    }
}

/// Everybody who may sign in.
package struct PeopleResponse: ResponseEncodable {
    let people: [PersonResponse]
}

/// A link with which a person signs in once. It is in this answer only.
package struct SignInLinkResponse: ResponseEncodable {
    let url: String
    let expiresAt: Date
}

/// A browser in which somebody is signed in.
package struct SessionResponse: ResponseEncodable {
    let id: String
    let email: String
    let method: String
    let beganAt: Date
    let seenAt: Date
    let endsAt: Date

    init(_ session: PersonSession) {
        id = session.id.uuidString.lowercased()
        (email, method) = (session.email.text, session.method.rawValue)
        (beganAt, seenAt, endsAt) = (session.beganAt, session.seenAt, session.endsAt)
    }
}

/// The sessions of everybody.
package struct SessionsResponse: ResponseEncodable {
    let sessions: [SessionResponse]
}

/// Who calls, and what they may do.
package struct OperatorResponse: ResponseEncodable {
    /// As the audit names them.
    let actor: String
    let roles: [String]
    /// Absent for a key.
    let session: SessionResponse?
}
