import Testing

/// A client that knows only what delta sync told it.
struct SyncingPhone {
    let app: TestApp
    let uid: String
    var known: [String: String] = [:]
    var names: [String: String] = [:]
    var displayNames: [String: String] = [:]
    var after = ""
    var received = 0
    var reloads = 0

    init(_ app: TestApp, _ uid: String) {
        (self.app, self.uid) = (app, uid)
    }

    mutating func sync(limit: Int = 100) async throws {
        var hasMore = true
        while hasMore {
            let page = try await app.get("/v1/me/changes?limit=\(limit)\(after)", as: uid)
            if page.code == "reload_required" {
                reloads += 1
                try #require(reloads < 1000)
                (known, names, displayNames, after) = ([:], [:], [:], "")
                continue
            }
            try #require(page.status == 200, "\(page.text)")
            for change in page.json["changes"] as? [[String: Any]] ?? [] {
                let other = change["uid"] as? String ?? "–"
                received += 1
                known[other] = change["relationship"] as? String
                names[other] = change["username"] as? String
                displayNames[other] = change["displayName"] as? String
                if known[other] == "none" { known[other] = nil }
            }
            after = "&after=\(page["next"] ?? "")"
            hasMore = page.json["hasMore"] as? Bool ?? false
        }
    }

    func truth() async throws -> [String: String] {
        var truth: [String: String] = [:]
        for uid in try await app.friends(uid) { truth[uid] = "friends" }
        for uid in try await app.requests("incoming", uid) { truth[uid] = "incoming" }
        for uid in try await app.requests("outgoing", uid) { truth[uid] = "outgoing" }
        for uid in try await app.list("/v1/blocks", "blocks", as: uid) { truth[uid] = "blocked" }
        return truth
    }
}
