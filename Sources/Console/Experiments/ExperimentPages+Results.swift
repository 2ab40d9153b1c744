import Web

/// What an experiment shows by now.
extension ExperimentPages {
    static func results(_ asked: PageRequest, _ key: String, _ item: ItemKind.Fields) async throws
        -> [any Part]
    {
        let words = asked.words
        let path = apiPath("v1", "admin", "experiments", key)
            .appending("/results", query: ["phase": asked.value("phase")])
        guard let found = try await asked.api.find(path) else { return [] }
        var parts: [any Part] = []
        if let verdict = VerdictSentence(found) {
            parts.append(
                Notice(verdict.kind, verdict.sentence(words), ways: waysToStop(found, verdict, key, asked)))
        }
        let lead = words("experiments.resultsLead", ["goal": found.text("goal")])
        parts.append(
            Section(
                words["experiments.results"], lead: lead, [table(of: found, words), units(found, words)]))
        if found.list("days").isEmpty { return parts + phases(found, words) }
        parts.append(ChartImage(path: path, alternative: words["experiments.pictureAlternative"]))
        let course = Table(words["experiments.course"], [words["kit.day"]] + names(found), days(found))
        return parts + [Section(words["experiments.course"], [course], isClosed: true)]
            + phases(found, words)
    }

    private static func names(_ found: JSONTree) -> [String] {
        found.list("variations").map { $0.text("variation") }
    }

    /// The way to the form in which the experiment is stopped with the winner of the verdict.
    private static func waysToStop(
        _ found: JSONTree, _ verdict: VerdictSentence, _ key: String, _ asked: PageRequest
    ) -> [Way] {
        guard let winner = verdict.winner, found.text("state") == "running", asked.may("preview") else {
            return []
        }
        let form = PagePath.of(key, in: "/experiments").appending(query: [
            ItemPages.set("state"): "stopped", ItemPages.set("winner"): winner,
        ])
        return [
            Way(
                path: form + "#" + ItemPages.formID,
                title: asked.words("experiments.stop", ["winner": winner]))
        ]
    }

    private static func table(of found: JSONTree, _ words: Words) -> Table {
        let rows = found.list("variations").map { variation -> [Cell] in
            let own = variation.list("goals").first { $0.text("goal") == found.text("goal") }
            return [
                .text(variation.text("variation")), .number(variation.int("units")),
                own?["rate"]?.double.map(Cell.share) ?? .none,
                own?["mean"]?.double.map(Cell.decimal) ?? .none,
                own?["chanceToBeat"]?.double.map(Cell.share) ?? .none,
                own?["expectedLoss"]?.double.map(Cell.decimal) ?? .none,
            ]
        }
        let columns = ["variation", "units", "rate", "mean", "chance", "loss"]
        return Table(words["experiments.results"], columns.map { words["experiments.\($0)"] }, rows)
    }

    /// Whether units came as the shares say, and which count for nothing.
    private static func units(_ found: JSONTree, _ words: Words) -> Facts {
        let isMismatch = found.at("sampleRatio.isMismatch")?.bool == true
        let p = words.decimal(found.at("sampleRatio.p")?.double ?? 1)
        let ratio = words("experiments.ratio.\(isMismatch ? "differs" : "fits")", ["p": p])
        return Facts([
            (words["experiments.ratio"], .badge(isMismatch ? .bad : .good, ratio)),
            (words["experiments.crossed"], .number(found.int("crossed"))),
            (words["experiments.leftOut"], .number(found.int("leftOut"))),
        ])
    }

    /// How many reached the goal so far, by the last days.
    private static func days(_ found: JSONTree) -> [[Cell]] {
        found.list("days").suffix(31).map { day in
            [.text(day.text("day"))]
                + names(found).map { name in
                    let one = day.list("variations").first { $0.text("variation") == name }
                    return one?.at("soFar.rate")?.double.map(Cell.share) ?? .none
                }
        }
    }

    /// The ways to the other phases.
    private static func phases(_ found: JSONTree, _ words: Words) -> [any Part] {
        let others = Set(found.list("history").compactMap { $0["phase"]?.int }).subtracting([
            found.int("phase")
        ])
        guard !others.isEmpty else { return [] }
        let lines = others.sorted().map {
            Cell.link("?phase=\($0)", words("experiments.onePhase", ["phase": words.number($0)]))
        }
        return [Section(words["experiments.phases"], [Lines(lines)])]
    }
}
