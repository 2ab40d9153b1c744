import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Console
@testable import Kernel
@testable import Kith

/// An experiment from the question to its results, by forms alone.
@Suite(.inTurns) struct ExperimentFormTests {
    private static let values = """
        values: {greeting: "Hello, you", maxPhotos: 10, banner: "true", colors: '["red"]'}
        """

    private static let first = [
        "key": "warm", "goal": "spent", "measure": "mean", "parameters:0": "greeting",
        "parameters:1": "maxPhotos",
    ]

    private func run(_ test: @escaping @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            try await app.apply(Self.values)
            try await test(app, try await app.signIn("ann@example.com", [.growth]))
        }
    }

    /// Sends the form of a page with other entries, as a browser does.
    private func send(
        _ page: String, _ entries: [String: String], _ app: TestApp, _ session: HTTPFields,
        at path: String = "/experiments/new"
    ) async throws -> TestApp.Answer {
        let all = try app.entries(of: "preview", in: page).merging(entries) { $1 }
        return try await app.send(path, all, as: session)
    }

    @Test func `a person makes an experiment, publishes its draft and sees its results`() async throws {
        try await run { app, ann in
            let new = try await app.get("/experiments/new", headers: ann).text
            #expect(new.contains("<option value=\"greeting\">greeting (Hello, you)</option>"), "\(new)")
            let chosen = try await send(
                new, Self.first.merging(["again": "parameters.enter"]) { $1 }, app, ann)
            #expect(chosen.status == 200 && chosen.text.contains("Left empty: as it is now, Hello, you"))
            let entries = [
                "variations.+1": "loud", "variations.+1.values.greeting": "HELLO, you",
                "variations.+1.values.maxPhotos": "20", "guardrails.+0": "refunded",
                "guardrails.+0.margin": "2.5", "guardrails.+0.worse": "higher", "when.platform": "ios",
            ]
            let more = try await send(
                chosen.text, entries.merging(["again": "variations"]) { $1 }, app, ann)
            #expect(more.text.contains("name=\"variations.+2.values.maxPhotos\""), "\(more.text)")
            let looked = try await send(more.text, [:], app, ann)
            for line in [
                "goal: spent", "measures.spent: mean", "guardrails.refunded.margin: 0.025",
                "guardrails.refunded.worse: higher", "variations.control.weight: 50",
                "variations.loud.values.greeting: HELLO, you", "variations.loud.values.maxPhotos: 20",
                "when.platform: ios",
            ] {
                #expect(looked.text.contains("+ experiments.warm.\(line)<"), "\(line): \(looked.text)")
            }
            let draft = try app.entries(of: "draft", in: looked.text).merging(["name": "warmer"]) { $1 }
            let kept = try await app.send("/experiments/new", draft, as: ann)
            #expect(kept.headers[.location] == "/changes/drafts/warmer?done=drafts.saved", "\(kept.text)")
            let published = try await app.submit(
                "/changes/drafts/warmer", "publish", ["reason": "does it sell?"], as: ann)
            #expect(published.status == 303, "\(published.text)")
            let page = try await app.get("/experiments/warm", headers: ann).text
            #expect(page.contains("<h2>Results</h2>") && page.contains("It is too early to say."), "\(page)")
            #expect(page.contains("name=\"guardrails.refunded.margin\" value=\"2.5\""))
            let same = try await send(page, [:], app, ann, at: "/experiments/warm")
            #expect(same.text.contains("Nothing changes."), "\(same.text)")
        }
    }

    @Test func `each mistake stands at its field, and nothing that was typed is lost`() async throws {
        try await run { app, ann in
            let new = try await app.get("/experiments/new", headers: ann).text
            let first = try await send(new, Self.first, app, ann)
            #expect(first.status == 400 && first.text.contains("id=\"field-parameters-mistake\""))
            let typed = ["variations.+1.values.greeting": "HELLO", "variations.+1": "loud"]
            let mistakes = [
                ("variations.+1", "", "variations.+1"), ("variations.+1", "a.b", "variations.+1"),
                ("variations.+1", "control", "variations.+1"),
                ("variations.+1.values.maxPhotos", "many", "variations.+1.values.maxPhotos"),
                ("variations.+1.weight", "many", "variations.+1.weight"),
                ("variations.+1.weight", "60", "variations"), ("goal", "no goal", "goal"),
                ("guardrails.+0", "spent", "guardrails.+0"), ("when.version.gte", "v1", "when.version.gte"),
            ]
            for (field, text, place) in mistakes {
                let margin = field == "guardrails.+0" ? ["guardrails.+0.margin": "1"] : [:]
                let entries = typed.merging(margin) { $1 }.merging([field: text]) { $1 }
                let answer = try await send(first.text, entries, app, ann)
                #expect(answer.status == 400, "\(field) \(answer.text)")
                #expect(answer.text.contains("id=\"field-\(place)-mistake\""), "\(field): \(answer.text)")
                #expect(answer.text.contains("value=\"HELLO\"") && answer.text.contains("value=\"warm\""))
            }
            #expect(try await app.count("publications") == 1)
        }
    }

    @Test func `a value that is tried no more goes from all variations`() async throws {
        try await run { app, ann in
            try await app.apply(
                Self.values + "\n" + """
                    experiments:
                      old:
                        goal: spent
                        state: draft
                        measures: {spent: mean, seen: mean}
                        variations:
                          control: {weight: 50}
                          loud: {weight: 50, values: {greeting: HI, maxPhotos: 20}}
                    """)
            let page = try await app.get("/experiments/old", headers: ann).text
            let looked = try await send(page, ["parameters:1": ""], app, ann, at: "/experiments/old")
            let lines = looked.text.matches(of: /<li class="[a-z]+">([^<]*)</).map { String($0.1) }
            #expect(lines == ["- experiments.old.variations.loud.values.maxPhotos: 20"], "\(looked.text)")
        }
    }

    private static let kinds: [(standard: String, kind: Parameter.Kind, good: String, bad: String?)] = [
        ("true", .flag, "false", "yes"), ("0.5", .number, "-2", "nan"), (#"["red"]"#, .json, "{}", "[red"),
        ("Hello", .text, "[red", nil), ("", .text, "1", nil),
    ]

    @Test(arguments: kinds)
    func `a value is asked for by what it is now`(
        standard: String, kind: Parameter.Kind, good: String, bad: String?
    ) {
        let parameter = Parameter(name: "one", standard: standard)
        #expect(parameter.kind == kind && parameter.mistake(in: good) == nil)
        if let bad { #expect(parameter.mistake(in: bad) != nil) }
    }
}
