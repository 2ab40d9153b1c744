import Web

/// What was done to a link.
extension LinkPages {
    /// Who changed, ended or archived the link, for those who may see the audit.
    static func history(of link: JSONTree, _ asked: PageRequest) async throws -> [any Part] {
        let (words, code) = (asked.words, link.text("code"))
        guard asked.mayCall("GET /v1/admin/audit") else { return [] }
        let query: KeyValuePairs<String, String?> = ["act": "call", "code": code]
        let found = try await asked.api.find(
            "/v1/admin/audit".appending(query: query).appending(query: ["limit": "50"]))
        // Another domain may have the same code. A call that names none is of the only domain.
        let acts = (found?.list("acts") ?? []).filter {
            ["", link.text("domain")].contains($0.text("details.domain"))
        }.prefix(10)
        guard !acts.isEmpty else { return [] }
        let isOver = ["archivedAt", "expiresAt"].contains { !link.text($0).isEmpty }
        return [
            Section(
                words["links.history"], lead: words["links.historyLead"],
                [ChangePages.auditTable(Array(acts), words)],
                actions: [Way(path: "/changes/audit".appending(query: query), title: words["audit.title"])],
                isClosed: !isOver)
        ]
    }
}
