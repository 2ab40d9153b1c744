import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// What a device gets of the values, and devices that always get the same.
@Suite(.inTurns) struct ValueTrialPageTests {
    private static let settings = """
        values:
          greeting:
            value: Hello
            rules:
              japan: {value: Moshi, when: {language: [ja]}}
        experiments:
          loud:
            goal: bought
            when: {platform: ios}
            variations: {control: {weight: 0}, loud: {weight: 100, values: {greeting: HELLO}}}
        """

    private func run(_ test: @escaping @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            try await app.apply(Self.settings)
            try await test(app, try await app.signIn("ann@example.com", [.growth]))
        }
    }

    @Test func `a person sees which rule or experiment gives a value to a device, and why`() async throws {
        try await run { app, ann in
            let viewer = try await app.signIn("ben@example.com", [.viewer])
            func page(_ query: String) async throws -> TestApp.Answer {
                try await app.get("/experiments?\(query)", headers: viewer)
            }
            let rule = try await page("platform=android&language=ja&unit=u").text
            #expect(rule.contains("<td data-name=\"Because\">rule japan</td>"), "\(rule)")
            #expect(rule.contains("does not hold: System"), "the experiment is for iOS")
            let loud = try await page("platform=ios&language=en&unit=u").text
            #expect(
                loud.contains(">loud of the experiment loud<") && loud.contains("does not hold: Language"))
            let nobody = try await page("platform=ios").text
            #expect(nobody.contains(">no rule fits<") && nobody.contains("no unit was given"), "\(nobody)")
            let wrong = try await page("platform=ios&version=5&app=a%20b")
            #expect(wrong.status == 200 && wrong.text.contains("id=\"field-app-mistake\""), "\(wrong.text)")
        }
    }

    @Test
    func `a device of the team gets the variation that is chosen for it, until it is a usual one again`()
        async throws
    {
        try await run { app, ann in
            let device = ["device": "anns-phone", "unit": "i-1", "variations.loud": "control"]
            let kept = try await app.submit("/test-devices", "keep", device, as: ann)
            #expect(kept.headers[.location] == "/test-devices?done=devices.kept", "\(kept.text)")
            let page = try await app.get("/test-devices", headers: ann).text
            #expect(page.contains("loud: control") && page.contains("anns-phone"), "\(page)")
            let wrong = try await app.submit("/test-devices", "keep", ["device": "b"], as: ann)
            #expect(wrong.status == 400 && wrong.text.contains("id=\"field-unit-mistake\""), "\(wrong.text)")
            let nameless = try await app.submit("/test-devices", "keep", ["unit": "u"], as: ann)
            #expect(nameless.status == 400 && nameless.text.contains("id=\"field-device-mistake\""))
            let form = try app.entries(of: "delete", in: page)
            let question = try await app.send("/test-devices", form, as: ann)
            #expect(question.status == 200 && question.text.contains("Delete the test device?"))
            #expect(try await app.count("test_devices") == 1)
            #expect(try await app.submit("/test-devices", "delete", [:], as: ann).status == 303)
            #expect(try await app.count("test_devices") == 0)
            let viewer = try await app.signIn("ben@example.com", [.viewer])
            let seen = try await app.get("/test-devices", headers: viewer).text
            #expect(seen.contains("No test devices yet.") && !seen.contains("name=\"unit\""))
        }
    }
}
