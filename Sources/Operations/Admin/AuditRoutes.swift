import Foundation
package import Hummingbird
package import Kernel
import Web

/// The route `/v1/admin/audit`, for operators. Nothing changes or deletes what it lists.
package struct AuditRoutes {
    package let audit: AuditStore
    package let cursors: Cursors

    package init(audit: AuditStore, cursors: Cursors) {
        self.audit = audit
        self.cursors = cursors
    }

    package struct AuditResponse: ResponseEncodable {
        let acts: [AuditEntry]
        let next: String?
    }

    /// `GET /v1/admin/audit?uid&actor&act&code&item&from&to` lists what operators did, newest first.
    @Sendable package func list(_ request: Request, context: AdminContext) async throws -> AuditResponse {
        let item = try request.query.item("item")
        var filter = try AuditStore.Filter(request.query)
        filter.publications = item.map(PublicationStore.numbers)
        let times = [filter.from, filter.to].map { $0.map { "\($0.microsecondsSince1970)" } ?? "" }
        let filters = [filter.actor?.text, filter.act?.rawValue, filter.code, item?.text]
        let name = ["audit"] + filters.map { $0 ?? "" } + times
        let list = Cursors.List(name: name.joined(separator: " "), owner: filter.user?.uuid ?? .zero)
        let (after, limit) = try await cursors.page(request, of: list)
        let page = try await audit.list(filter, after: after, limit: limit)
        return try await AuditResponse(acts: page.items, next: cursors.text(page.next, list))
    }
}

extension AuditStore.Filter {
    /// Reads a filter. Throws a 400 that names the field.
    fileprivate init(_ query: Query) throws(Problem) {
        self.init()
        user = try query.value("uid").map { text throws(Problem) in User.ID(of: try .checked(text)) }
        actor = try query.value("actor").map { text throws(Problem) in
            guard let actor = AuditActor(text) else {
                throw .invalid(
                    "actor",
                    "must be as the audit shows it: key:7h2k9m4pqr5t, person:ann@example.com or command:ann@host"
                )
            }
            return actor
        }
        act = try query.value("act").map { text throws(Problem) in
            guard let act = OperatorAct.Kind(rawValue: text) else {
                let all = OperatorAct.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalid("act", "must be one of \(all)")
            }
            return act
        }
        code = try query.value("code").map { text throws(Problem) in
            guard (1...128).contains(text.utf8.count) else {
                throw .invalid("code", "must have 1 to 128 bytes")
            }
            return text
        }
        (from, to) = (try query.time("from"), try query.time("to"))
    }
}
