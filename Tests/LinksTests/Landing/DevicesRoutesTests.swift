import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// The page of `kith dev` that shows what each device gets.
@Suite(.inTurns) struct DevicesRoutesTests {
    private static func demo(_ config: inout Config) {
        TestApp.withStores(&config)
        (config.app.scheme, config.app.homeURL) = ("sample", "https://sample.example")
        config.app.androidFingerprints = Array(repeating: "00", count: 32).joined(separator: ":")
        (config.app.minimumIOS, config.app.minimumAndroid) = (SystemVersion(16), SystemVersion(8))
    }

    /// Calls a development server on an application's database.
    private func page(
        _ path: String, _ headers: HTTPFields = [:],
        change: @escaping @Sendable (inout Config) -> Void = { _ in },
        _ test: @Sendable (TestApp.Answer) throws -> Void
    ) async throws {
        try await TestApp.run(
            configure: {
                Self.demo(&$0)
                change(&$0)
            }, isForDevelopment: true
        ) { try test(await $0.get(path, headers: headers)) }
    }

    @Test func `kith serve has no such page`() async throws {
        try await TestApp.run(configure: Self.demo) { app in
            let (answer, other) = (try await app.get("/dev/devices"), try await app.get("/dev/nothing"))
            #expect(answer.status == 404 && answer.bytes == other.bytes)
        }
    }

    /// The cells of the row with this name.
    private func cells(_ name: String, _ html: String) throws -> [String] {
        let rows = html.split(separator: "<tr ").map(String.init)
        let row = try #require(rows.first { $0.contains("<th scope=\"row\">\(name)</th>") })
        return row.split(separator: "<td ").dropFirst().map(String.init)
    }

    @Test func `each cell is the answer that the table has`() async throws {
        try await page("/dev/devices") { answer in
            #expect(answer.status == 200)
            let link = "\(TestApp.origin)/users/hanako?invitedBy=demo-hanako"
            for (name, row, way, opens) in [
                ("iPhone, Safari, iOS 26", 6, "https://apps.apple.com/app/id6448311069", true),
                ("iPhone, Safari, iOS 15", 1, "Kith needs iOS 16 or later.", true),
                (
                    "iPad, which calls itself a Mac: a script puts the App Store first", 8,
                    "https://apps.apple.com/app/id6448311069", true
                ),
                ("Android, Chrome, which hides the version", 7, "intent://users/hanako", true),
                ("Android 7, Firefox", 1, "Kith needs Android 8 or later.", true),
                ("Computer", 8, "/users/hanako/qr.svg?invitedBy=demo-hanako", false),
                ("LINE, iPhone", 2, "\(link)&amp;openExternalBrowser=1", false),
                (
                    "Instagram, Android", 3,
                    "\(TestApp.origin)/users/hanako/play-store?invitedBy=demo-hanako", false
                ),
                ("X, iPhone", 2, "sample://users/hanako", false),
                ("WhatsApp, for a preview", 8, "https://apps.apple.com/app/id6448311069", false),
            ] {
                let cells = try cells(name, answer.text)
                #expect(cells[0].contains("Row \(row)<") && cells[0].contains(way), "\(name): \(cells[0])")
                #expect(cells[1].contains("The system opens the app") == opens, "\(name): \(cells[1])")
                let copies = [2, 6].contains(row) || name.hasPrefix("iPad")
                #expect(
                    cells[0].contains("</li>\n<li>Copy the invite<small>") == copies, "\(name): \(cells[0])")
            }
        }
    }

    @Test func `with KITH_STORE_FIRST it shows the redirect`() async throws {
        try await page("/dev/devices", change: { $0.app.storeFirst = true }) { answer in
            let cell = try cells("iPhone, Safari, iOS 26", answer.text)[0]
            #expect(cell.contains("Row 4<") && cell.contains("302 straight to"))
        }
    }

    @Test func `without association files no link opens the app`() async throws {
        try await page("/dev/devices", change: { ($0.app.iosTeamID, $0.app.iosBundleID) = (nil, nil) }) {
            answer in
            let cell = try cells("iPhone, Safari, iOS 26", answer.text)[1]
            #expect(cell.contains("no association file names the app for iOS"))
        }
    }

    @Test func `a user agent can be pasted, with spaces as forms write them`() async throws {
        let query =
            "agent=Mozilla%2F5.0+(iPhone%3B+CPU+iPhone+OS+18_6+like+Mac+OS+X)+Mobile%2F15E148%0D%0ALine%2F15.12.1"
        try await page("/dev/devices?\(query)") { answer in
            let cell = try cells("The user agent above", answer.text)[0]
            #expect(cell.contains("Row 2<"))
            #expect(
                answer.text.contains(
                    ">Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) Mobile/15E148 Line/15.12.1</textarea>"
                ))
        }
        try await page("/dev/devices", .android) { answer in
            let cell = try cells("This browser", answer.text)[0]
            #expect(cell.contains("Row 7<"))
        }
    }

    @Test(arguments: [
        "%3C%2Ftextarea%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E", "%22%3E%3Cimg+src%3Dx+onerror%3Dalert(1)%3E",
        "%3C%CC%81script%3E",
        "%7B%7Blink%7D%7D%7B%7B%7Bagent%7D%7D%7D", "iPhone%01%0D%0A%0D%0A%3Cb%3E", "%E2%80%AEiPhone", "",
    ])
    func `it cannot add an element`(agent: String) async throws {
        try await page("/dev/devices?agent=\(agent)") { answer in
            #expect(answer.status == 200)
            for tag in ["<script", "<img", "<b>", "<\u{301}"] {
                #expect(!answer.text.utf8.contains(tag.utf8))
            }
            #expect(answer.text.components(separatedBy: "</textarea>").count == 2)
            let policy = try #require(answer.headers[.contentSecurityPolicy])
            #expect(policy.contains("default-src 'none'") && policy.contains("form-action 'self'"))
            #expect(policy.contains("script-src 'none'"))
        }
    }

    @Test(arguments: ["agent=%ff", "agent=a&agent=b", "agent=%00"])
    func `what is no text is refused`(query: String) async throws {
        try await page("/dev/devices?\(query)") { #expect($0.status == 400) }
    }
}
