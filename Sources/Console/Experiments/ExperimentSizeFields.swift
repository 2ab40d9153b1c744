import Web

/// How long an experiment will need, in its form: what a person says of the goal, and what a call answers.
enum ExperimentSizeFields {
    /// - Parameter key: the experiment. Nil if it is new.
    static func fields(_ asked: PageRequest, _ key: String?) async throws -> [Field] {
        let words = asked.words
        var fields = [
            Field("size.rate", words["experiments.size.rate"], example: "5"),
            Field(
                "size.lift", words["experiments.size.lift"], hint: words["experiments.size.liftHint"],
                example: "20"),
        ]
        var told: String?
        if let entries = asked.refused?.entries, entries[Field.again] == "size" {
            do { told = try await answer(to: entries, key, asked) } catch let problem as APIProblem {
                let index = fields.firstIndex { $0.name == "size.\(problem.field ?? "")" } ?? 1
                fields[index].mistake = problem.sentence(words, of: fields[index].title)
            }
        }
        fields.append(
            Field("size", words["experiments.size.ask"], .again("size", told: told)))
        return fields.map { $0.grouped(words["experiments.size"]) }
    }

    private static func answer(to entries: Entries, _ key: String?, _ asked: PageRequest) async throws
        -> String
    {
        let words = asked.words
        let shares = shares(entries)
        let came = try await came(key, asked)
        let answer = try await asked.api.get(
            "/v1/admin/experiments/size".appending(query: [
                "rate": entries["size.rate"], "lift": entries["size.lift"],
                "shares": shares.count < 2 ? nil : shares.map(\.share).joined(separator: ","),
                "daily": came.map { "\($0.units)" }, "coverage": came == nil ? entries["coverage"] : nil,
            ]))
        let units = answer.list("variations").enumerated().map { place, one in
            let name = shares.count < 2 ? nil : shares[place].name.nonEmpty
            return [name, words.number(one.int("units"))].compactMap(\.self).joined(separator: " ")
        }
        let first = words(
            "experiments.size.units",
            ["list": units.joined(separator: ", "), "all": words.number(answer.int("units"))])
        guard let days = answer["days"]?.int else { return first + " " + words["experiments.size.nobody"] }
        return first + " "
            + words(
                "experiments.size.days",
                [
                    "days": words.number(days), "daily": words.number(answer.int("daily")),
                    "day": came?.day ?? answer.text("day"),
                ])
    }

    /// The shares of the variations that a form has, the control first.
    private static func shares(_ entries: Entries) -> [(name: String, share: String)] {
        let control = entries["control"].nonEmpty ?? "control"
        let found = entries.all.compactMap { name, value -> (name: String, share: String)? in
            guard name.hasPrefix("variations."), name.hasSuffix(".weight"), !value.isEmpty else {
                return nil
            }
            let variation = name.dropFirst("variations.".count).dropLast(".weight".count)
            let isNew = variation.hasPrefix(ItemGroup.new)
            return (isNew ? entries["variations.\(variation)"] : String(variation), value)
        }
        return found.filter { $0.name == control } + found.filter { $0.name != control }
    }

    /// How many units came on the last whole day, of an experiment that has some.
    private static func came(_ key: String?, _ asked: PageRequest) async throws -> (
        day: String, units: Int
    )? {
        guard let key else { return nil }
        let results = try await asked.api.find(apiPath("v1", "admin", "experiments", key) + "/results")
        let today = asked.words.day(asked.now)
        guard let day = results?.list("days").last(where: { $0.text("day") < today }) else {
            return nil
        }
        return (day.text("day"), day.list("variations").reduce(0) { $0 + $1.int("units") })
    }
}
