import Hummingbird

/// The routes by which operators find out why something is as it is, and help users: for an admin key that acts for no user.
extension App {
    func addRoutes(forSupport v1: APIRoutes<AdminContext>) {
        v1.get(
            "admin/explain", query: ["url", "code", "username", "invitedBy"], use: explanationRoutes.explain)
        v1.get("admin/usernames/{username}", query: ["at"], use: asOfRoutes.name)
        v1.get("admin/friends/{uid}/{other}", query: ["at"], use: asOfRoutes.friends)
        v1.get("admin/users/{uid}/timeline", query: ["after", "limit"], use: timelineRoutes.show)
        v1.get("admin/audit", query: ["user", "after", "limit"], use: auditRoutes.list)
        v1.get("admin/users", query: ["uid", "username", "code"], use: supportRoutes.find)
        v1.put("admin/users/{uid}/username", use: supportRoutes.rename)
        v1.post("admin/users/{uid}/deletion", use: supportRoutes.delete)
        v1.post("admin/users/{uid}/undo-invites", use: supportRoutes.undo)
        v1.delete("admin/invites/{code}", query: ["reason"], use: supportRoutes.revoke)
    }
}

extension App {
    /// Why a link leads where it leads, in lines for people, whichever app it is of; nil if it is no link of this server.
    public func explanation(of url: String) async throws -> String? {
        let hosts = HostResponder(self)
        _ = try await hosts.follow()
        return try await hosts.standardApp.explaining.explain(url)?.text
    }
}
