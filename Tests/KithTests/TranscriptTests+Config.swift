import HTTPTypes

@testable import AppTesting

extension Transcript {
    func tellOfConfig(_ key: HTTPFields) async throws {
        let (config, publications) = ("/v1/admin/config", "/v1/admin/config/publications")
        func over(_ revision: Int) -> HTTPFields {
            var headers = key
            headers[.ifMatch] = "\"\(revision)\""
            return headers
        }
        let change: Body = """
            {"changes":{"values":{"welcome":"Hello"}},"reason":"a welcome","dryRun":true}
            """
        try await add(.post, config, headers: key, body: change)
        try await add(.post, config, headers: over(2), body: change)
        let first = Body(stringLiteral: change.json.replacing("true", with: "false"))
        try await add(.post, config, headers: over(2), body: first)
        try await add(.post, config, headers: over(2), body: first)
        let changed = Body(stringLiteral: first.json.replacing("Hello", with: "Good day"))
        try await add(.post, config, headers: over(3), body: changed)
        try await add(.get, "\(config)/items/{section}/{key}", "values", "welcome", headers: key)
        try await add(.get, config, query: "?revision=3", headers: key)
        try await add(.get, "\(config)/difference", query: "?from=3", headers: key)
        try await add(.get, publications, query: "?limit=1", headers: key)
        try await add(.get, "\(publications)/{number}", "4", headers: key)
        try await add(
            .post, "\(publications)/{number}/revert", "4", headers: over(4), body: ["reason": "a mistake"])
        try await add(
            .post, "\(publications)/{number}/restore", "4", headers: over(5),
            body: ["reason": "no, it was fine"])
        try await tellOfDrafts(key, over)
    }

    private func tellOfDrafts(_ key: HTTPFields, _ over: (Int) -> HTTPFields) async throws {
        let drafts = "/v1/admin/config/drafts"
        let (draft, device) = ("\(drafts)/{draft}", "/v1/admin/config/test-devices/{device}")
        let change: Body = #"{"changes":{"values":{"welcome":"Spring!"}}}"#
        try await add(.put, draft, "spring", headers: key, body: change)
        try await add(.put, draft, "spring", headers: over(0), body: change)
        try await add(.put, draft, "spring", headers: over(0), body: change)
        func version(_ name: String) async throws -> Int {
            Int(try await app.get("\(drafts)/\(name)", headers: key)["draft.version"] ?? "") ?? 0
        }
        try await add(.put, draft, "spring", headers: over(version("spring")), body: change)
        try await add(.get, drafts, headers: key)
        try await add(.get, draft, "spring", headers: key)
        try await add(
            .put, device, "ann-iphone", headers: key,
            body: ["unit": "phone", "draft": "spring", "variations": ["loud": "control"] as Body])
        try await add(.get, "/v1/admin/config/test-devices", headers: key)
        try await add(.delete, device, "ann-iphone", headers: key)
        try await add(.delete, device, "ann-iphone", headers: key)
        let seen = try await version("spring")
        try await add(
            .post, "\(draft)/publication", "spring", headers: over(6),
            body: "{\"version\":\(seen),\"reason\":\"spring is here\"}")
        let summer = Body(stringLiteral: change.json.replacing("Spring", with: "Summer"))
        try await add(.put, draft, "summer", headers: over(0), body: summer)
        try await add(.delete, draft, "summer", headers: over(version("summer")))
        try await add(.get, draft, "summer", headers: key)
    }
}
