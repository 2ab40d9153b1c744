import Foundation
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Rollout

/// The sections `values` and `experiments` in the file of `kith apply`.
@Suite struct ExperimentFileTests {
    private func mistakes(_ yaml: String) -> [String] {
        do {
            _ = try AppsFile(yaml: yaml, folder: RepositoryFile.root, config: Config())
            return []
        } catch {
            return (error as? ConfigError)?.mistakes ?? ["\(error)"]
        }
    }

    static func experiment(_ more: String...) -> String {
        ([
            "experiments:", "  x:", "    goal: bought",
            "    variations: {control: {weight: 50}, b: {weight: 50, values: {greeting: Hi}}}",
        ] + more.map { "    \($0)" }).joined(separator: "\n")
    }

    static let wrong: [(yaml: String, mistake: String)] = [
        ("values: {a..b: {value: x}}", "line 1: values.a..b: the name must be of letters"),
        ("values: {a: {}}", "line 1: values.a.value: is missing"),
        ("values: {a: {value: x, valeu: y}}", "line 1: values.a.valeu is not a field: did you mean value?"),
        ("values: {a: {rules: {r: {when: {country: [JP]}}}}}", "line 1: values.a.rules.r.value: is missing"),
        (
            "values: {a: {rules: {r: {value: x, when: {country: [Japan]}}}}}",
            "line 1: values.a.rules.r.when.country: 'Japan' is not allowed"
        ),
        (
            "values: {a: {rules: {r: {value: x, when: {platform: web}}}}}",
            "line 1: values.a.rules.r.when.platform: 'web' is not allowed"
        ),
        (
            "values: {a: {rules: {r: {value: x, when: {planet: mars}}}}}",
            "line 1: values.a.rules.r.when.planet is not a field"
        ),
        (#"values: {a: {value: "x\0"}}"#, "line 1: values.a.value holds a NUL"),
        (#"values: {"a\0": {value: x}}"#, "line 1: values has a name that holds a NUL"),
        ("values: {greeting: x}\n? {a: b}\n: {c: d}", "line 2: the file has a name that is not a text"),
        ("values: {? [a, b] : x, greeting: x}", "line 1: values has a name that is not a text"),
        ("apps:\n  {{ stage }}:\n    name: New", "line 2: apps has a name that is not a text"),
        (
            "policies:\n  p:\n    action: block\n    {{ condition }}:\n      version: {lt: '4.0'}",
            "line 4: policies.p has a name that is not a text"
        ),
        ("values: {bad key: {value: x}}", "line 1: values.bad key: the name must be of letters"),
        (
            #"experiments: {x: {variations: {control: {values: {a: "\x00"}}}}}"#,
            "line 1: experiments.x.variations.control.values.a holds"
        ),
        (
            #"policies: {p: {messages: {en: {title: "\u0000"}}}}"#,
            "line 1: policies.p.messages.en.title holds a NUL"
        ),
        (#"apps: {a: {hosts: ["https://a.example.com\0"]}}"#, "line 1: apps.a.hosts holds a NUL"),
        (#"apps: {a: {name: "a\0"}}"#, "line 1: apps.a.name holds a NUL"),
        (#"offers: {o: {offer: "a\0"}}"#, "line 1: offers.o.offer holds a NUL"),
        (#"rewards: {r: {qualify: "a\0"}}"#, "line 1: rewards.r.qualify holds a NUL"),
        ("values: {a: {value: ''}}", "line 1: values.a.value is empty: leave it out"),
        (
            "values: {landing.nothing.ja: {value: x}}",
            "line 1: values.landing.nothing.ja.value: pages have no"
        ),
        (
            "values: {landing.open.ja: {value: '{nmae}'}}",
            "line 1: values.landing.open.ja.value: 'open' has a { that begins none of"
        ),
        (
            "values: {landing.open.ja: {value: '{count}'}}",
            "line 1: values.landing.open.ja.value: 'open' has {count}, which nothing fills in there; it may have {name} and {app}"
        ),
        (
            "values: {landing.order: {value: 'app, window'}}",
            "line 1: values.landing.order.value: 'app, window' is not allowed"
        ),
        (experiment("goal2: x"), "line 5: experiments.x.goal2 is not a field"),
        (experiment("coverage: 101"), "line 5: experiments.x.coverage: '101' is not allowed"),
        (experiment("phase: 0"), "line 5: experiments.x.phase: '0' is not allowed"),
        (experiment("sticky: maybe"), "line 5: experiments.x.sticky: 'maybe' is not allowed"),
        (experiment("winner: c"), "line 5: experiments.x.winner: 'c' is not allowed"),
        (
            experiment("namespace: {name: n, from: 0}"), "line 5: experiments.x.namespace.to: is missing"
        ),
        (
            experiment("namespace: {name: n, from: 50, to: 20}"),
            "line 5: experiments.x.namespace.to: must be above"
        ),
        (
            experiment("namespace: {name: n, from: 0.05, to: 20}"),
            "line 5: experiments.x.namespace.from: may have one decimal"
        ),
        ("experiments: {x: {variations: {}}}", "line 1: experiments.x.variations is empty: leave it out"),
        (
            "experiments: {x: {goal: bought, variations: {a: {weight: 50}, b: {weight: 50}}}}",
            "line 1: experiments.x.variations: must have one called control"
        ),
        (
            "experiments: {x: {goal: bought, variations: {control: {weight: 50}, b: {weight: 49.99}}}}",
            "line 1: experiments.x.variations: must have weights that sum to 100"
        ),
        (
            "experiments: {x: {goal: friend, variations: {control: {weight: 50}, b: {weight: 50, values: {a: x, landing.open.en: y}}}}}",
            "line 1: experiments.x.variations: has values of pages (landing.…) and of apps"
        ),
        (
            "experiments: {x: {goal: friend, sticky: true, variations: {control: {weight: 50}, b: {weight: 50, values: {landing: {open: {en: y}}}}}}}",
            "line 1: experiments.x.sticky: is for apps"
        ),
        (
            "experiments: {x: {goal: friend, variations: {control: {weight: 50}, b: {weight: 50, values: {landing: {opne: {en: y}}}}}}}",
            "line 1: experiments.x.variations.b.values.landing.opne.en: pages have no"
        ),
        (
            experiment()
                + "\n  y: {goal: a, variations: {control: {weight: 50}, c: {weight: 50, values: {greeting: Hm}}}}",
            "line 5: experiments.y: changes greeting, as experiments.x does"
        ),
        (
            "experiments: {x: {goal: frend, variations: {control: {weight: 50}, b: {weight: 50, values: {landing: {open: {en: y}}}}}}}",
            "line 1: experiments.x.goal: must be tap, install, signup or friend"
        ),
        (
            experiment("namespace: n"),
            "line 5: experiments.x.namespace must be a table with from, name and to"
        ),
        (
            "experiments: {x: {goal: bought, variations: {control: 50, b: {weight: 50}}}}",
            "line 1: experiments.x.variations.control must be a table with values and weight"
        ),
        (
            "experiments: {x: {goal: bought, variations: [control, b]}}",
            "line 1: experiments.x.variations must be a table of tables, each with values and weight"
        ),
        (
            "values: {a: {rules: [{value: x}]}}",
            "line 1: values.a.rules must be a table of tables, each with priority, value and when"
        ),
        (
            "rewards: {r: {qualify: {purchase: yes}, inviter: event}}",
            "line 1: rewards.r.qualify.purchase must be a table with environment and products"
        ),
        (
            "experiments: {x: {goal: tap, variations: {control: {weight: 50}, b: {weight: 50, values: {a: x}}}}}",
            "line 1: experiments.x.goal: is one of the pages of invites"
        ),
        (
            "experiments: {x: {goal: tap, when: {version: {gte: '5'}}, variations: {control: {weight: 50}, b: {weight: 50, values: {landing: {open: {en: y}}}}}}}",
            "line 1: experiments.x.when.version: is for apps"
        ),
    ]

    @Test(arguments: wrong + wrongGoals)
    func `a mistake is named in the words of the file`(yaml: String, mistake: String) {
        let found = mistakes(yaml)
        #expect(found.contains { $0.hasPrefix(mistake) }, "\(found)")
    }

    @Test func `two experiments may change one value in parts of a namespace`() {
        let parts = [(0, 50), (50, 100)].enumerated().map { number, part in
            """
              x\(number):
                goal: bought
                namespace: {name: n, from: \(part.0), to: \(part.1)}
                variations: {control: {weight: 50}, b: {weight: 50, values: {greeting: Hi}}}
            """
        }
        #expect(mistakes("experiments:\n" + parts.joined(separator: "\n")) == [])
    }

    @Test(arguments: [
        ("goal: bought", "goal: paid", "goal"), ("goal: bought", "goal: bought\n    seed: s", "seed"),
        ("goal: bought", "goal: bought\n    measures: {bought: mean}", "measures"),
        ("goal: bought", "goal: bought\n    guardrails: {left: {margin: 0.1}}", "guardrails"),
        ("control: {weight: 50}", "control: {weight: 40}", "weights"),
        ("goal: bought", "goal: bought\n    namespace: {name: n, from: 0, to: 50}", "namespace"),
        ("goal: bought", "goal: bought\n    coverage: 50", nil),
        ("goal: bought", "goal: paid\n    phase: 2", nil),
        ("goal: bought", "goal: bought\n    winner: b", nil),
        ("goal: bought", "goal: bought\n    seed: x", nil),
        ("greeting: Hi", "greeting: Hey", "values"),
        ("  b: {weight: 50, values", "  c: {weight: 50, values", "variations"),
        (
            "control: {weight: 50}\n      b: {weight: 50, values: {greeting: Hi}}",
            "control: {weight: 40}\n      b: {weight: 60, values: {greeting: Hi}}\n    winner: b", "weights"
        ),
        ("greeting: Hi}}", "greeting: Hey}}\n    winner: b", "values"),
    ])
    func `what would spoil a phase is refused within it`(text: String, other: String, changed: String?) throws
    {
        let before = """
            experiments:
              x:
                goal: bought
                variations:
                  control: {weight: 50}
                  b: {weight: 50, values: {greeting: Hi}}
            """
        let after = before.replacing(text, with: other).replacing(
            "b: {weight: 50", with: other.contains("40") ? "b: {weight: 60" : "b: {weight: 50")
        let files = try [before, after].map {
            try #require(
                try AppsFile(yaml: $0, folder: RepositoryFile.root, config: Config()).sections[
                    AppliedExperiments.self])
        }
        let refused =
            changed.map { ["experiments.x: changes \($0) within phase 1: set phase: 2, which counts anew"] }
            ?? []
        #expect(files[1].mistakes(over: files[0]) == refused)
        // Also the way back, on which a winner goes.
        #expect(files[0].mistakes(over: files[1]).count == refused.count)
    }

    @Test func `what is printed is the same file, and the examples in the documents are one`() throws {
        let page = try RepositoryFile.read("docs/experiments.md")
        let yaml = page.matches(of: /```yaml\n([\s\S]*?)```/).map { String($0.output.1) }.joined()
        let read = try AppsFile(yaml: yaml, folder: RepositoryFile.root, config: Config())
        let (values, experiments) = try (
            #require(read.sections[AppliedValues.self]), #require(read.sections[AppliedExperiments.self])
        )
        #expect(values.entries.count > 1 && experiments.entries.count > 1)
        let printed = try AppsFile.yaml(of: AppliedSections([values, experiments]))
        let again = try AppsFile(yaml: printed, folder: RepositoryFile.root, config: Config())
        #expect(again.sections[AppliedValues.self]?.entries == values.entries)
        #expect(again.sections[AppliedExperiments.self]?.entries == experiments.entries)
        #expect(values.changes(to: try #require(again.sections[AppliedValues.self])) == [])
    }

    @Test func `a value may be its text alone, and names have what people write`() throws {
        let yaml = """
            values:
              greeting: Hello
              maxPhotos: 10
              welcome_message: {value: Hi, rules: {Japan_1: {value: こんにちは, when: {language: [ja]}}}}
            experiments:
              my_Test:
                goal: Bought_Hat
                control: B
                variations:
                  A: {weight: 50, values: {greeting: HELLO}}
                  B: {weight: 50}
            """
        #expect(mistakes(yaml) == [])
        let read = try AppsFile(yaml: yaml, folder: RepositoryFile.root, config: Config())
        let experiment = try #require(read.sections[AppliedExperiments.self]?.read().rules["my_Test"])
        #expect(experiment.control == "B" && experiment.variations.map(\.name) == ["B", "A"])
        let results = ExperimentResults(
            experiment,
            [
                "A": .init(units: 100, goals: ["Bought_Hat": .init(units: 60)]),
                "B": .init(units: 100, goals: ["Bought_Hat": .init(units: 20)]),
            ])
        #expect(results.verdict == .better("A"))
        #expect(mistakes(yaml.replacing("control: B", with: "control: C")).count == 1)
        #expect(read.sections[AppliedValues.self]?.read().rules.values["greeting"]?.standard == "Hello")
        #expect(read.sections[AppliedValues.self]?.read().rules.values["maxPhotos"]?.standard == "10")
        let values = try #require(read.sections[AppliedValues.self])
        let printed = try AppsFile.yaml(of: AppliedSections([values]))
        let again = try AppsFile(yaml: printed, folder: RepositoryFile.root, config: Config())
        #expect(again.sections[AppliedValues.self]?.entries == read.sections[AppliedValues.self]?.entries)
        #expect(mistakes("values: {greeting: [a]}") == ["line 1: values.greeting must be a table of fields"])
        #expect(mistakes("policies: {p: Hello}").count == 1)
    }
}
