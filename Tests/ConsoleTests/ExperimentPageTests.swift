import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// Experiments and conditions at the console: how long one will need, how it goes, how it is stopped.
@Suite(.inTurns) struct ExperimentPageTests {
    private func run(_ test: @escaping @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            try await test(app, try await app.signIn("ann@example.com", [.growth]))
        }
    }

    private static let settings = """
        values: {greeting: Hello, mood: none}
        experiments:
          loud:
            goal: bought
            variations: {control: {weight: 50}, loud: {weight: 50, values: {greeting: HELLO}}}
          calm:
            goal: bought
            winner: calm
            variations: {control: {weight: 50}, calm: {weight: 50, values: {mood: calm}}}
        """

    /// Two days of an experiment, after which a variation wins.
    private func makeResults(_ app: TestApp) async throws {
        try await app.apply(Self.settings)
        try await app.db.write.run(
            """
            INSERT INTO experiment_days (experiment, phase, day, variation, units, crossed)
            VALUES ('loud', 1, '2024-10-01', 'control', 1000, 0), ('loud', 1, '2024-10-01', 'loud', 1000, 3),
                   ('loud', 1, '2024-10-02', 'control', 4000, 0), ('loud', 1, '2024-10-02', 'loud', 4000, 0)
            """)
        try await app.db.write.run(
            """
            INSERT INTO experiment_goal_days (experiment, phase, day, variation, goal, units, sum_of_values, sum_of_squares)
            VALUES ('loud', 1, '2024-10-01', 'control', 'bought', 100, 100, 100),
                   ('loud', 1, '2024-10-01', 'loud', 'bought', 120, 120, 120),
                   ('loud', 1, '2024-10-02', 'control', 'bought', 400, 400, 400),
                   ('loud', 1, '2024-10-02', 'loud', 'bought', 580, 580, 580)
            """)
    }

    @Test func `the form says how long an experiment will need, and keeps the entries`() async throws {
        try await run { app, ann in
            let entries = ["goal": "bought", "size.rate": "5", "size.lift": "20", "again": "size"]
            let nobody = try await app.submit("/experiments/new", "preview", entries, as: ann)
            #expect(nobody.status == 200 && nobody.text.contains("8,158, 8,158. Together 16,316."))
            #expect(nobody.text.contains("Nobody came yesterday") && nobody.text.contains("value=\"bought\""))
            try await app.db.write.run(
                """
                INSERT INTO counts (subject, measure, day, count)
                VALUES ('', 'people.active', (now() AT TIME ZONE 'UTC')::date - 1, 1000)
                """)
            let shares = [
                "control": "old", "variations.+0": "new", "variations.+0.weight": "20",
                "variations.+1.weight": "", "coverage": "50",
            ]
            let one = try await app.submit(
                "/experiments/new", "preview", entries.merging(shares) { $1 }, as: ann)
            #expect(
                one.text.contains("With 500 a day") && one.text.contains("33 days or more"), "\(one.text)")
            let wrong = try await app.submit(
                "/experiments/new", "preview", entries.merging(["size.lift": "0"]) { $1 }, as: ann)
            #expect(wrong.status == 200 && wrong.text.contains("id=\"field-size.lift-mistake\""))
            #expect(try await app.count("publications") == 0)
        }
    }

    @Test func `an experiment that runs needs as many days as its own units say`() async throws {
        try await run { app, ann in
            try await makeResults(app)
            let page = try await app.submit(
                "/experiments/loud", "preview", ["size.rate": "5", "size.lift": "20", "again": "size"],
                as: ann)
            #expect(page.text.contains("control 8,158, loud 8,158."), "\(page.text)")
            #expect(page.text.contains("With 8,000 a day, as on 2024-10-02, that takes 3 days or more."))
        }
    }

    @Test func `a verdict leads to the form that stops the experiment with the winner`() async throws {
        try await run { app, ann in
            try await makeResults(app)
            let page = try await app.get("/experiments/loud", headers: ann).text
            #expect(page.contains("loud is better than control.") && page.contains("as planned (p = 1)"))
            #expect(page.contains("src=\"/v1/admin/experiments/loud/results?hl=en\""))
            #expect(page.contains("<details class=\"section\" id=\"edit\">"), "the form waits below")
            let link = try #require(page.firstMatch(of: /href="([^"#]*)#edit"[^>]*>Stop it: loud wins</)).1
            let path = String(link).replacing("&amp;", with: "&")
            let form = try await app.get(path, headers: ann).text
            #expect(form.contains("<section class=\"section\" id=\"edit\">"), "\(form)")
            #expect(
                form.contains("value=\"stopped\" selected") && form.contains("name=\"winner\" value=\"loud\"")
            )
            let looked = try await app.submit(path, "preview", ["state": "stopped"], as: ann)
            #expect(looked.text.contains("+ experiments.loud.winner: loud"), "\(looked.text)")
            let viewer = try await app.signIn("ben@example.com", [.viewer])
            #expect(try await !app.get("/experiments/loud", headers: viewer).text.contains("#edit"))
        }
    }

    @Test func `past experiments stand below those that run, with their winners`() async throws {
        try await run { app, ann in
            try await makeResults(app)
            let page = try await app.get("/experiments", headers: ann).text
            let parts = page.components(separatedBy: "<h2>Past experiments</h2>")
            try #require(parts.count == 2)
            #expect(parts[0].contains("/experiments/loud") && !parts[0].contains("/experiments/calm"))
            #expect(parts[1].contains("/experiments/calm") && !parts[1].contains("/experiments/loud"))
        }
    }

    @Test func `results are a picture and a table, too`() async throws {
        try await run { app, ann in
            try await makeResults(app)
            let path = "/v1/admin/experiments/loud/results"
            let picture = try await app.get("\(path)?format=svg&width=400", headers: ann)
            #expect(picture.status == 200 && picture.headers[.contentType] == "image/svg+xml")
            #expect(
                picture.text.contains("loud 14% (")
                    && picture.text.contains("Chance to be better than control"))
            let table = try await app.get("\(path)?format=csv", headers: ann).text
            #expect(table.components(separatedBy: "\r\n").count == 6, "\(table)")
            #expect(table.contains("\r\n2024-10-02,loud,4000,580,0.14,,"))
            #expect(try await app.get("\(path)?format=pdf", headers: ann)["field"] == "format")
            #expect(try await app.get("\(path)?width=1", headers: ann)["field"] == "width")
        }
    }

    @Test func `conditions are chosen in rows, of which a button adds one`() async throws {
        try await run { app, ann in
            let country = "rules.+0.when.country"
            let entries = [
                "key": "greeting", "value": "Hello", "rules.+0": "japan", "rules.+0.value": "Hi",
                "\(country):0": "JP", "\(country):1": "", "\(country):2": "US", "\(country):3": "JP",
                "rules.+0.when.language:0": "ja",
            ]
            let more = try await app.submit(
                "/values/new", "preview", entries.merging(["again": country]) { $1 }, as: ann)
            #expect(more.status == 200)
            #expect(
                more.text.contains("name=\"\(country):4\"") && !more.text.contains("name=\"\(country):5\""))
            #expect(more.text.contains("<option value=\"JP\" selected=\"\">Japan</option>"), "\(more.text)")
            #expect(more.text.contains("name=\"value\"") && more.text.contains("\nHello</textarea>"))
            let looked = try await app.submit("/values/new", "preview", entries, as: ann)
            #expect(
                looked.text.contains("+ values.greeting.rules.japan.when.country: JP,US"), "\(looked.text)")
            #expect(looked.text.contains("+ values.greeting.rules.japan.when.language: ja"))
            let japanese = try await app.get("/values/new?hl=ja", headers: ann).text
            #expect(japanese.contains(">ドイツ語</option>") && japanese.contains(">ドイツ</option>"))
        }
    }

    @Test func `apps and versions that called yesterday are suggested`() async throws {
        try await run { app, ann in
            try await app.db.write.run(
                """
                INSERT INTO client_versions (app, day, platform, version, action, count)
                VALUES ('com.example.app', (now() AT TIME ZONE 'UTC')::date - 1, 'ios', '5.2', 'none', 3),
                       ('com.example.app', (now() AT TIME ZONE 'UTC')::date - 1, 'ios', '5.3', 'none', 9)
                """)
            let page = try await app.get("/updates/new", headers: ann).text
            #expect(page.contains("<option value=\"5.3\"></option><option value=\"5.2\"></option>"))
            #expect(
                page.contains("list=\"field-app-list\"")
                    && page.contains("<option value=\"com.example.app\">"))
        }
    }
}
