import Foundation
import Hummingbird
import Kernel

/// A short link, as the API shows it.
package struct ShortLinkResponse: ResponseEncodable {
    let url: String
    let domain: String
    let code: String
    let suffix: ShortLink.Kind
    let parameters: [String: String]
    let name: String?
    let createdAt: Date
    let archivedAt: Date?
    let expiresAt: Date?
    /// The id of the key that made it. Apps do not learn it.
    let keyId: String?
    /// What is wrong with the parameters that are left out. It is only in the answer to a call that gave
    /// them.
    let warnings: [Warning]?

    struct Warning: Encodable {
        let code: String
        let parameter: String
    }

    init(_ row: ShortLinkStore.Row, in domain: LinkDomain, _ warnings: [LinkWarning]? = nil) {
        (url, self.domain, code) = ("\(domain.text)/\(row.code.text)", domain.text, row.code.text)
        (suffix, parameters, name) = (row.kind, row.parameters, row.name)
        (createdAt, archivedAt, expiresAt) = (row.createdAt, row.archivedAt, row.expiresAt)
        keyId = row.createdBy
        self.warnings = warnings?.map { Warning(code: $0.code.rawValue, parameter: $0.parameter) }
    }
}
