import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kernel
@testable import Kith

/// Policies at the console: how they look and whom they ask, what a device is told, and the way back.
@Suite(.inTurns) struct UpdatePageTests {
    private static let settings = """
        policies:
          must:
            platform: ios
            priority: 10
            when: {version: {lt: "4.0"}}
            action: hard
            target: "5.2"
            minimumOS: "16.0"
            messages:
              en: {title: Please update, text: This version ends.}
              ja: {title: お願い, text: 終了します。}
        """

    private func run(_ test: @escaping @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            try await app.apply(Self.settings)
            try await app.db.write.run(
                """
                INSERT INTO client_versions (app, day, platform, version, action, count)
                VALUES ('', (now() AT TIME ZONE 'UTC')::date - 1, 'ios', '3.9', 'hard', 10),
                       ('', (now() AT TIME ZONE 'UTC')::date - 1, 'ios', '5.1', 'none', 30)
                """)
            try await test(app, try await app.signIn("ann@example.com", [.growth]))
        }
    }

    /// Publishes what a page shows, as a browser does.
    private func publish(_ page: String, at path: String, _ app: TestApp, _ session: HTTPFields) async throws
    {
        let entries = try app.entries(of: "publish", in: page).merging(["reason": "a test"]) { $1 }
        let answer = try await app.send(path, entries, as: session)
        #expect(answer.status == 303, "\(answer.text)")
    }

    @Test func `the message stands beside the form as a phone shows it, also before it is published`()
        async throws
    {
        try await run { app, ann in
            let page = try await app.get("/updates/must", headers: ann).text
            #expect(page.components(separatedBy: "<div class=\"phone\">").count == 3, "\(page)")
            #expect(page.contains("lang=\"ja\"><strong>お願い</strong><p>終了します。</p>"))
            #expect(!page.contains(">Later<"), "who must update has no other way")
            let typed = [
                "key": "may", "platform": "android", "action": "soft", "messages.+0": "en",
                "messages.+0.title": "New", "messages.+0.text": "Photos, and more.", "again": "look",
            ]
            let looked = try await app.submit("/updates/new", "preview", typed, as: ann)
            #expect(looked.text.contains("<strong>New</strong><p>Photos, and more.</p>"), "\(looked.text)")
            #expect(looked.text.contains("class=\"phone android\"") && looked.text.contains(">Later<"))
            #expect(looked.text.contains("name=\"messages.+0.title\" value=\"New\""), "it stays in the form")
        }
    }

    @Test func `all languages of a policy are written in one form, and a further one is added there`()
        async throws
    {
        try await run { app, ann in
            var entries = try app.entries(
                of: "preview", in: try await app.get("/updates/must", headers: ann).text)
            entries["messages.en.title"] = "Update now"
            entries["again"] = "messages"
            let again = try await app.send("/updates/must", entries, as: ann).text
            #expect(again.contains("Message: Japanese") && again.contains("name=\"messages.+0\""), "\(again)")
            entries["again"] = nil
            entries.merge(
                ["messages.ja.text": "終わります。", "messages.+0": "fr", "messages.+0.title": "Nouveau"]
            ) { $1 }
            let looked = try await app.send("/updates/must", entries, as: ann).text
            for line in [
                "~ policies.must.messages.en.title: Please update → Update now",
                "~ policies.must.messages.ja.text: 終了します。 → 終わります。",
                "+ policies.must.messages.fr.title: Nouveau",
            ] { #expect(looked.contains(line), "\(looked)") }
            entries["again"] = "look"
            let shown = try await app.send("/updates/must", entries, as: ann).text
            #expect(shown.contains("<li data-key=\"fr\"><span class=\"soft\">French</span>"), "\(shown)")
        }
    }

    @Test func `times are entered by the operator's clock, and the same moment stays as it was written`()
        async throws
    {
        try await TestApp.run(configure: {
            TestApp.withConsole(&$0)
            $0.counts.zone = TimeZone(identifier: "Asia/Tokyo") ?? .gmt
        }) { app in
            try await app.apply(
                "policies: {may: {platform: ios, action: soft, target: '5.2', when: {version: {lt: '5.2'}, from: 2026-12-01T00:00:00Z}}}"
            )
            let ann = try await app.signIn("ann@example.com", [.growth])
            let page = try await app.get("/updates/may", headers: ann).text
            #expect(page.contains("type=\"datetime-local\" id=\"field-when.from\""), "\(page)")
            #expect(page.contains("value=\"2026-12-01T09:00\"") && page.contains("Asia/Tokyo"))
            let looked = try await app.submit(
                "/updates/may", "preview", ["when.until": "2027-03-01T18:30"], as: ann
            ).text
            #expect(looked.contains("+ policies.may.when.until: 2027-03-01T18:30:00+09:00"), "\(looked)")
            #expect(!looked.contains("when.from"), "it is the same moment")
            let odd = try await app.submit("/updates/may", "preview", ["when.until": "soon"], as: ann)
            #expect(odd.status == 400 && odd.text.contains("id=\"field-when.until-mistake\""), "\(odd.text)")
        }
    }

    @Test func `before a policy is published the page tells how many it would ask and force`() async throws {
        try await run { app, ann in
            let policy = [
                "key": "may", "platform": "ios", "action": "soft", "target": "5.2", "when.version.lt": "5.2",
            ]
            let looked = try await app.submit("/updates/new", "preview", policy, as: ann).text
            let numbers = looked.matches(of: /<strong>([^<]*)<\/strong><span class="note">([^<]*)</)
                .map { "\($0.1), \($0.2)" }
            #expect(numbers == ["75%, 0% now", "25%, 25% now"], "\(looked)")
            #expect(looked.contains("Of 40 calls on "))
        }
    }

    @Test func `a device is tried on the page of all policies`() async throws {
        try await run { app, ann in
            let viewer = try await app.signIn("ben@example.com", [.viewer])
            let old = try await app.get(
                "/updates?platform=ios&version=3.9&os=17&language=ja", headers: viewer
            ).text
            #expect(old.contains("forces the update") && old.contains("The policy must decides."), "\(old)")
            #expect(old.contains("<strong>お願い</strong>"))
            let new = try await app.get("/updates?platform=ios&version=5.1", headers: ann).text
            #expect(
                new.contains("No policy is for this device.") && new.contains("does not hold: Version"),
                "\(new)")
            let odd = try await app.get("/updates?platform=ios&version=x", headers: ann).text
            #expect(odd.contains("Kith cannot read this version"))
            let wrong = try await app.get("/updates?platform=ios&version=5.1&app=a%20b", headers: ann)
            #expect(wrong.status == 200 && wrong.text.contains("id=\"field-app-mistake\""), "\(wrong.text)")
            #expect(wrong.text.contains("value=\"5.1\""))
        }
    }

    @Test func `a policy is paused and comes back in one step each, which says first what it does`()
        async throws
    {
        try await run { app, ann in
            let paused = try await app.submit("/updates/must", "pause", [:], as: ann).text
            #expect(paused.contains("+ policies.must.when.rollout.percent: 0"), "\(paused)")
            #expect(!paused.contains("name=\"force."), "a pause forces nobody")
            #expect(paused.contains("<strong>0%</strong><span class=\"note\">25% now</span>"))
            #expect(try await app.count("publications") == 1)
            try await publish(paused, at: "/updates/must", app, ann)
            #expect(try await app.get("/updates", headers: ann).text.contains(">paused</span>"))
            let page = try await app.get("/updates/must", headers: ann).text
            #expect(!page.contains("value=\"pause\"") && page.contains("value=\"undo\""))
            let undone = try await app.submit("/updates/must", "undo", [:], as: ann).text
            #expect(undone.contains("- policies.must.when.rollout.percent: 0"), "\(undone)")
            let entries = try app.entries(of: "publish", in: undone)
            #expect(undone.contains("name=\"force.policies.must\""), "it forces people again")
            let answer = try await app.send(
                "/updates/must",
                entries.merging(["reason": "on", "force.policies.must": "true"]) { $1 }, as: ann)
            #expect(answer.status == 303, "\(answer.text)")
            #expect(try await !app.get("/updates", headers: ann).text.contains(">paused</span>"))
        }
    }

    @Test func `undoing the publication that made an item removes it`() async throws {
        try await run { app, ann in
            let undone = try await app.submit("/updates/must", "undo", [:], as: ann).text
            #expect(undone.contains("- policies.must.action: hard"), "\(undone)")
            try await publish(undone, at: "/updates/must", app, ann)
            #expect(try await app.get("/updates/must", headers: ann).status == 404)
            let viewer = try await app.signIn("ben@example.com", [.viewer])
            #expect(try await app.get("/updates", headers: viewer).text.contains("No policies yet"))
        }
    }
}
