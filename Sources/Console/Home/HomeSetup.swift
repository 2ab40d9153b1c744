import Web

/// What to set up next, as the first page lists it while nothing is counted.
enum HomeSetup {
    static func parts(_ asked: PageRequest) async -> [any Part] {
        let words = asked.words
        let looks: [@Sendable () async throws -> [Cell]] = [
            { try await app(asked) }, { try await domain(asked) }, { try await access(asked) },
            { try await endpoint(asked) },
        ]
        let lines = await asked.together(looks).flatMap { $0 ?? [] }
        guard !lines.isEmpty else { return [] }
        return [Section(words["home.setup"], lead: words["home.setup.lead"], [Lines(lines)])]
    }

    private static func app(_ asked: PageRequest) async throws -> [Cell] {
        guard asked.mayCall("GET /v1/admin/apps") else { return [] }
        let apps = try await asked.api.get("/v1/admin/apps")["apps"]?.members ?? []
        return apps.isEmpty ? [.link("/apps", asked.words["home.setup.app"])] : []
    }

    /// Without a domain there is no list of links.
    private static func domain(_ asked: PageRequest) async throws -> [Cell] {
        guard asked.mayCall("GET /v1/links") else { return [] }
        let links = try await asked.api.find("/v1/links?limit=1")
        return links == nil ? [.text(asked.words["home.setup.domain"])] : []
    }

    private static func access(_ asked: PageRequest) async throws -> [Cell] {
        guard asked.mayCall("GET /v1/admin/people") else { return [] }
        let people = try await asked.api.get("/v1/admin/people").list("people")
        let names = (people.count < 2 ? ["people"] : []) + ["key"]
        return names.map { .link("/access", asked.words["home.setup.\($0)"]) }
    }

    private static func endpoint(_ asked: PageRequest) async throws -> [Cell] {
        guard asked.mayCall("GET /v1/admin/webhooks") else { return [] }
        let hooks = try await asked.api.get("/v1/admin/webhooks").list("webhooks")
        return hooks.isEmpty ? [.link("/webhooks/new", asked.words["home.setup.endpoint"])] : []
    }
}
