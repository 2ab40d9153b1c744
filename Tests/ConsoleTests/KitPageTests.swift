import Foundation
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// The page of the kit, from which pages are made.
@Suite(.inTurns) struct KitPageTests {
    @Test func `kith dev shows each part of the kit, in both languages, and its form keeps entries`()
        async throws
    {
        try await TestApp.run(configure: TestApp.withConsole, isForDevelopment: true) { app in
            let ann = try await app.signIn("ann@example.com", [.viewer])
            for language in ["en", "ja"] {
                let page = try await app.get("/kit?hl=\(language)", headers: ann)
                #expect(page.status == 200, "\(page.text)")
                let keys = page.text.matches(of: />([a-z]+\.[a-z][a-zA-Z_.]+)</).map { String($0.1) }
                #expect(keys.filter { !$0.hasPrefix("curl") && !$0.hasPrefix("go.") } == [])
            }
            let again = try await app.submit("/kit", "look", ["text": "typed <here>"], as: ann)
            #expect(again.status == 200 && again.text.contains("value=\"typed &lt;here&gt;\""))
        }
    }

    @Test func `each part that there is stands on the page`() throws {
        let kit = RepositoryFile.root.appending(path: "Sources/Console/Kit")
        let page = try RepositoryFile.read("Sources/Console/KitPage/KitPages.swift")
        let files = try FileManager.default.contentsOfDirectory(at: kit, includingPropertiesForKeys: nil)
        let parts = try files.flatMap { file in
            try String(contentsOf: file, encoding: .utf8).matches(of: /struct ([A-Za-z]+): Part \{/).map {
                String($0.1)
            }
        }
        #expect(parts.count > 15)
        #expect(parts.filter { !page.contains("\($0)(") } == [])
    }

    @Test func `a chart has a narrow picture for phones, in which one can read`() async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            let ann = try await app.signIn("ann@example.com", [.viewer])
            let page = try await app.get("/invites", headers: ann).text
            let narrow = page.matches(of: /<source media="[^"]*" srcset="([^"]*)">/).map { String($0.1) }
            #expect(narrow.count == page.components(separatedBy: "<figure class=\"chart\">").count - 1)
            for path in narrow {
                let picture = try await app.get(
                    path.replacing("&amp;", with: "&") + "&format=svg", headers: ann)
                #expect(
                    picture.status == 200 && picture.text.contains("viewBox=\"0 0 340 "), "\(picture.text)")
            }
        }
    }

    @Test func `a server has no page of the kit`() async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            let ann = try await app.signIn("ann@example.com", [.admin])
            #expect(try await app.get("/kit", headers: ann).status == 404)
        }
    }
}
