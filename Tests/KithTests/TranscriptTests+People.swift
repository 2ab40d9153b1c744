import HTTPTypes

@testable import AppTesting

extension Transcript {
    func tellOfPeople(_ key: HTTPFields) async throws {
        let (people, person, ann) = ("/v1/admin/people", "/v1/admin/people/{email}", "ann@example.com")
        try await add(.get, "/v1/admin/me", headers: key)
        try await add(.put, person, ann, headers: key, body: ["roles": ["viewer", "growth"]])
        try await add(.put, person, ann, headers: key, body: ["roles": ["growth"]])
        try await add(.get, people, headers: key)
        try await add(.get, person, ann, headers: key)
        let link = try await add(.post, "\(person)/sign-in-links", ann, headers: key)
        let path = link["url"]?.replacing(TestApp.console, with: "") ?? ""
        _ = try await app.post(path, as: nil, headers: app.browser())
        let sessions = try await add(.get, "/v1/admin/sessions", headers: key)
        try await add(
            .delete, "/v1/admin/sessions/{id}", sessions["sessions.0.id"] ?? "", headers: key)
        try await add(.delete, person, ann, headers: key)
        try await add(.get, person, ann, headers: key)
        let body: Body = ["name": "backend", "scope": "server", "actsForUsers": true, "expiresInDays": 365]
        let made = try await add(.post, "/v1/admin/keys", headers: key, body: body)
        try await add(.get, "/v1/admin/keys", headers: key)
        for _ in 0..<2 {
            try await add(.delete, "/v1/admin/keys/{id}", made["id"] ?? "", headers: key)
        }
    }
}
