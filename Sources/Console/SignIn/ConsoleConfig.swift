package import Kernel
import Web

/// Settings of the console: where it is, and who signs in there by OpenID Connect.
package struct ConsoleConfig: Sendable {
    /// `KITH_CONSOLE_URL`; none. The origin of the console, whose host serves nothing else.
    package var url: String?
    /// `KITH_CONSOLE_ISSUER`; none. The issuer of the OpenID Connect provider with which people sign in.
    package var issuer: String?
    /// `KITH_CONSOLE_CLIENT_ID`; none. Kith's name at the provider.
    package var clientID: String?
    /// `KITH_CONSOLE_CLIENT_SECRET`; none. The secret by which the provider knows Kith.
    package var clientSecret: String?
    /// `KITH_CONSOLE_ROLES`; none. The roles of whoever nobody added, by the domain of their mail address or
    /// by a group, separated by commas: `example.com=viewer,group:marketing=growth`.
    package var roles = OpenIDRoles()

    package init() {}
}

/// Which roles a provider's people have whom nobody added.
package struct OpenIDRoles: Equatable, Sendable {
    package static let form =
        "a list of example.com=ROLE and group:NAME=ROLE, separated by commas; a ROLE is \(Role.allCases.map(\.rawValue).joined(separator: ", "))"

    private(set) var byDomain: [String: Set<Role>] = [:]
    private(set) var byGroup: [String: Set<Role>] = [:]

    package init() {}

    /// Nil if an entry is malformed.
    package init?(_ text: String) {
        for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
            let entry = entry.trimmingPrefix { $0 == " " }
            guard let equals = entry.lastIndex(of: "="),
                let role = Role(rawValue: String(entry[entry.index(after: equals)...].filter { $0 != " " }))
            else { return nil }
            let name = String(entry[..<equals])
            if name.hasPrefix("group:") {
                guard name.utf8.count > 6 else { return nil }
                byGroup[String(name.dropFirst(6)), default: []].insert(role)
            } else {
                guard let address = EmailAddress("a@\(name)"), address.domain.contains(".") else {
                    return nil
                }
                byDomain[String(address.domain), default: []].insert(role)
            }
        }
    }

    package var isEmpty: Bool { byDomain.isEmpty && byGroup.isEmpty }
    var hasGroups: Bool { !byGroup.isEmpty }

    /// Returns what the rules give somebody, by all that fit. Empty for nothing.
    package func roles(of identity: OpenIDIdentity) -> Set<Role> {
        // Byte for byte: Swift's == takes letters for one that a provider tells apart.
        let groups = byGroup.filter { rule in identity.groups.contains { $0.hasSameBytes(as: rule.key) } }
        return groups.values.reduce(byDomain[String(identity.email.domain)] ?? []) { $0.union($1) }
    }
}
