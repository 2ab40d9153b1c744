import Foundation
import Kernel

/// A line of the file of `kith import fdl` and `kith export links`.
struct LinkFileLine: Sendable {
    var code: ShortLink.Code
    var domain: LinkDomain
    var kind: ShortLink.Kind
    /// The parameters as the file has them. Those that are not valid now are left out when the link is
    /// opened, and work once the settings know them.
    var parameters: [String: String]
    var name: String?
    var note: String?
    var tags: [LinkTag] = []
    var createdAt: Date
    var archivedAt: Date?
    var expiresAt: Date?
    /// Which parts of it are not valid, and what to do.
    var warnings: [String] = []

    var url: String { "\(domain.text)/\(code.text)" }
}
