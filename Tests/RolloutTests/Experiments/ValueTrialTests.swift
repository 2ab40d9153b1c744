import Foundation
import Kernel
import Testing
import Web

@testable import Rollout

/// What an app would get of each value, and why.
struct ValueTrialTests {
    private static let values = [
        "greeting": [
            "value": "Hello", "rules.japan.value": "Moshi", "rules.japan.when.language": "ja",
            "rules.new.value": "Hey", "rules.new.priority": "1", "rules.new.when.version.gte": "5",
        ],
        "mood": ["rules.five.value": "good", "rules.five.when.version.gte": "5"],
        "landing.open.ja": ["value": "page"],
    ]

    private static func experiment(_ more: [String: String]) -> [String: String] {
        [
            "goal": "spent", "variations.control.weight": "0", "variations.loud.weight": "100",
            "variations.loud.values.greeting": "HELLO",
        ].merging(more) { $1 }
    }

    private static let running = experiment(["when.platform": "ios"])
    private static let stopped = experiment(["winner": "loud", "when.platform": "ios"])
    private static let uncovered = experiment(["coverage": "0"])
    private static let draft = experiment(["state": "draft"])

    struct Case: Sendable {
        var platform = AppPlatform.ios
        var version: String?
        var language = "en"
        var unit: String?
        var experiment: [String: String]?
        let greeting: String
        var mood = "nil by nil"
        var part: String?
    }

    private static let cases = [
        Case(greeting: "Hello by standard | new misses version, japan misses language"),
        Case(language: "ja", greeting: "Moshi by rule japan | new misses version, japan decides"),
        Case(
            version: "5.1", language: "ja", greeting: "Hey by rule new | new decides, japan stands",
            mood: "good by rule five"),
        Case(
            version: "x", language: "ja",
            greeting: "Moshi by rule japan | new misses version, japan decides"),
        Case(
            language: "ja", unit: "u", experiment: running,
            greeting: "HELLO by experiment one loud | new misses version, japan stands",
            part: "takes_part loud"),
        Case(
            platform: .android, unit: "u", experiment: running,
            greeting: "Hello by standard | new misses version, japan misses language",
            part: "misses platform"),
        Case(
            experiment: running, greeting: "Hello by standard | new misses version, japan misses language",
            part: "no_unit"),
        Case(
            unit: "u", experiment: uncovered,
            greeting: "Hello by standard | new misses version, japan misses language", part: "not_chosen"),
        Case(
            experiment: stopped,
            greeting: "HELLO by experiment one loud | new misses version, japan misses language",
            part: "winner loud"),
        Case(
            unit: "u", experiment: draft,
            greeting: "Hello by standard | new misses version, japan misses language", part: "off"),
    ]

    @Test(arguments: cases) func `a trial says what gives a value, and what does not hold`(one: Case) throws {
        var (values, experiments) = (AppliedValues(), AppliedExperiments())
        values.entries = Self.values
        experiments.entries = one.experiment.map { ["one": $0] } ?? [:]
        #expect(values.read().mistakes + experiments.read().mistakes == [])
        let asking = AskingApp(
            platform: one.platform, version: one.version.flatMap { VersionNumber($0) },
            language: Language(one.language), id: one.unit, at: Date())
        let trial = ValueTrialResponse(
            values.read().rules.values, experiments.read().rules.experiments, for: asking,
            one.unit.flatMap { ExperimentUnit($0) }, revision: 3)
        let found = Dictionary(uniqueKeysWithValues: trial.values.map { ($0.value, Self.text($0)) })
        #expect(found.keys.sorted() == ["greeting", "mood"], "pages have values of their own")
        #expect(found["greeting"] == one.greeting)
        #expect(found["mood"]?.components(separatedBy: " | ").first == one.mood)
        let parts = trial.experiments.map { part in
            [part.outcome.rawValue, part.variation, part.condition?.rawValue].compactMap(\.self)
                .joined(separator: " ")
        }
        #expect(parts == [one.part].compactMap(\.self))
    }

    private static func text(_ value: ValueTrialResponse.Value) -> String {
        let by = [value.by?.rawValue ?? "nil", value.rule, value.experiment, value.variation]
        let rules = value.rules.map { rule in
            [rule.rule, rule.outcome.rawValue, rule.condition?.rawValue].compactMap(\.self)
                .joined(separator: " ")
        }
        return "\(value.text ?? "nil") by \(by.compactMap(\.self).joined(separator: " ")) | "
            + rules.joined(separator: ", ")
    }
}
