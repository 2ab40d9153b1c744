import Web

/// What was done to a link.
extension LinkPages {
    /// Who changed, ended or archived the link, for those who may see the audit.
    static func history(of link: JSONTree, _ asked: PageRequest) async throws -> [any Part] {
        let (words, code) = (asked.words, link.text("code"))
        guard asked.mayCall("GET /v1/admin/audit") else { return [] }
        let query: KeyValuePairs<String, String?> = ["act": "call", "code": code]
        let acts = try await asked.api.find(
            "/v1/admin/audit".appending(query: query).appending(query: ["limit": "10"]))
        guard let acts, !acts.list("acts").isEmpty else { return [] }
        let isOver = ["archivedAt", "expiresAt"].contains { !link.text($0).isEmpty }
        return [
            Section(
                words["links.history"], lead: words["links.historyLead"],
                [ChangePages.auditTable(acts, words)],
                actions: [Way(path: "/changes/audit".appending(query: query), title: words["audit.title"])],
                isClosed: !isOver)
        ]
    }
}
