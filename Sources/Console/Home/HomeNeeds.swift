import Web

/// What needs somebody, as the first page lists it: each line leads to the page on which it is done.
enum HomeNeeds {
    /// A call, and the lines that its answer gives.
    private struct Look: Sendable {
        let call: String
        /// What is looked at, for the sentence that it could not be read.
        let area: Area
        let lines: @Sendable (PageRequest) async throws -> [Cell]
    }

    private static let looks = [
        Look(call: "GET /v1/admin/rewards", area: .rewards, lines: rewards),
        Look(call: "GET /v1/admin/offers", area: .rewards, lines: campaigns),
        Look(call: "GET /v1/admin/webhooks", area: .events, lines: endpoints),
        Look(call: "GET /v1/admin/experiments/{experiment}/results", area: .experiments, lines: experiments),
        Look(call: "GET /v1/admin/config/drafts", area: .changes, lines: drafts),
        Look(call: "GET /v1/admin/client-versions", area: .updates, lines: updates),
    ]

    /// Nothing if nothing needs anybody. What a person may not see is left out.
    static func parts(_ asked: PageRequest) async -> [any Part] {
        let words = asked.words
        let looks = looks.filter { asked.mayCall($0.call) }
        let found = await asked.together(looks.map { look in { try await look.lines(asked) } })
        let lines = zip(looks, found).flatMap { look, lines -> [Cell] in
            lines ?? [.text("\(words["area.\(look.area.rawValue)"]): \(words["home.unread"])")]
        }
        return lines.isEmpty ? [] : [Section(words["home.needs"], [Lines(lines)])]
    }

    @Sendable private static func rewards(_ asked: PageRequest) async throws -> [Cell] {
        let answer = try await asked.api.get("/v1/admin/rewards?state=flagged&limit=100")
        let count = answer.list("rewards").count
        guard count > 0 else { return [] }
        let text = asked.words.number(count) + (answer["next"] == nil ? "" : "+")
        return [.link("/rewards/queue", asked.words("home.needs.rewards", ["count": text]))]
    }

    /// Codes that are few, or expire soon. Of a code that all share there is always one.
    @Sendable private static func campaigns(_ asked: PageRequest) async throws -> [Cell] {
        let words = asked.words
        return try await asked.api.get("/v1/admin/offers").list("campaigns").flatMap { campaign -> [Cell] in
            guard campaign["sharedCode"] == nil else { return [] }
            let (free, expiring) = (campaign.int("codes.free"), campaign.int("codes.expiring"))
            let found = [
                ("low", free, free < campaign.int("lowWater")), ("expiring", expiring, expiring > 0),
            ]
            return found.filter(\.2).map { name, count, _ in
                let text = words(
                    "home.needs.codes.\(name)",
                    ["campaign": campaign.text("key"), "count": words.number(count)])
                return .link(apiPath("offer-codes", campaign.text("key")), text)
            }
        }
    }

    /// How far an endpoint may be behind, in seconds.
    private static let mostLag = 600

    @Sendable private static func endpoints(_ asked: PageRequest) async throws -> [Cell] {
        let words = asked.words
        return try await asked.api.get("/v1/admin/webhooks").list("webhooks").compactMap { hook in
            let state = hook.text("state")
            guard state != "active" || hook.int("lagSeconds") > mostLag else { return nil }
            let what = state == "active" ? "home.needs.lag" : "webhooks.state.\(state)"
            let text = words("home.needs.endpoint", ["url": hook.text("url"), "state": words[what]])
            return .link(apiPath("webhooks", hook.text("id")), text)
        }
    }

    @Sendable private static func experiments(_ asked: PageRequest) async throws -> [Cell] {
        let words = asked.words
        let (all, _) = try await ItemPages.items("experiments", asked)
        let keys = all.filter { ExperimentPages.state(of: $0.1) == "running" }.map(\.0)
        let found = await asked.together(
            keys.map { key in
                { try await asked.api.get(apiPath("v1", "admin", "experiments", key) + "/results") }
            })
        return zip(keys, found).compactMap { key, results in
            let verdict = results.flatMap(VerdictSentence.init)
            if let verdict, !verdict.isFinal { return nil }
            let text = words(
                "home.needs.experiment",
                ["key": key, "verdict": verdict?.sentence(words) ?? words["home.unread"]])
            return .link(PagePath.of(key, in: "/experiments"), text)
        }
    }

    @Sendable private static func drafts(_ asked: PageRequest) async throws -> [Cell] {
        let names = try await asked.api.get("/v1/admin/config/drafts").list("drafts").map { $0.text("name") }
        guard let first = names.first else { return [] }
        let path = names.count == 1 ? apiPath("changes", "drafts", first) : "/changes/drafts"
        let text = names.joined(separator: ", ")
        return [.link(path, asked.words("home.needs.drafts", ["names": text]))]
    }

    /// Which part of a day's calls may be forced to update before somebody is told.
    private static let mostForced = 0.1

    @Sendable private static func updates(_ asked: PageRequest) async throws -> [Cell] {
        let words = asked.words
        let day = words.day(asked.now, plus: -1)
        let answer = try await asked.api.get(
            apiPath("v1", "admin", "client-versions", query: ["from": day, "to": day]))
        let platforms = Dictionary(grouping: answer.list("counts")) { $0.text("platform") }
        return platforms.sorted { $0.key < $1.key }.compactMap { platform, counts in
            let all = counts.reduce(0) { $0 + $1.int("count") }
            let forced = counts.filter { ["hard", "block"].contains($0.text("action")) }
                .reduce(0) { $0 + $1.int("count") }
            let share = Double(forced) / Double(max(1, all))
            guard share > mostForced else { return nil }
            let text = words(
                "home.needs.forced",
                ["platform": words["updates.platform.\(platform)"], "share": words.share(share)])
            return .link("/updates", text)
        }
    }
}
