import Kernel
import Web

/// The body that gives a person roles: `{"roles": ["growth"]}`.
struct PersonRequest: JSONBody, Sendable {
    let roles: [String]

    enum CodingKeys: CodingKey, CaseIterable { case roles }

    /// Returns the roles. Throws a 400 for anything else.
    func checkedRoles() throws(Problem) -> Set<Role> {
        guard let roles = Set<Role>(names: roles) else {
            let all = Role.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("roles", "must have at least one of \(all), and nothing else")
        }
        return roles
    }
}
