import Testing

@testable import Kernel
@testable import Links
@testable import Visits
@testable import Web

/// Where a deep link leads: a test row for each row of the table in docs/rules.md.
@Suite struct DeepLinkDecisionTests {
    private static let apps = ["apn": "com.example.app", "ibi": "com.example.app", "isi": "123"]

    private struct Row: CustomTestStringConvertible {
        var row: Int
        var way: String
        var visit: DeepLinkVisit
        var given: [String: String] = apps
        var testDescription: String { "row \(row): \(way)" }
    }

    private static let android = DeepLinkVisit(device: Device(system: .android))
    private static let phone = DeepLinkVisit(device: Device(system: .iOS))
    private static let pad = DeepLinkVisit(device: Device(system: .iOS), isIPad: true)
    private static let mac = DeepLinkVisit(device: .unknown, mayBeIPad: true)
    private static let computer = DeepLinkVisit(device: .unknown)
    private static let fetcher = DeepLinkVisit(device: Device(system: .iOS), isPreviewFetcher: true)
    private static func inApp(_ system: Device.System, hasLeft: Bool = false) -> DeepLinkVisit {
        DeepLinkVisit(device: Device(system: system, inAppBrowser: .instagram), hasLeft: hasLeft)
    }
    private static func old(_ system: Device.System) -> DeepLinkVisit {
        DeepLinkVisit(device: Device(system: system, version: SystemVersion(1)))
    }

    private static let rows: [Row] = [
        Row(
            row: 1, way: "302 /link",
            visit: DeepLinkVisit(device: .unknown, isPreviewFetcher: true, isInvite: true)),
        Row(
            row: 1, way: "preview",
            visit: DeepLinkVisit(device: .unknown, isPreviewFetcher: true, isInvite: true), given: ["st": "T"]
        ),
        Row(row: 1, way: "preview", visit: fetcher), Row(row: 1, way: "preview", visit: fetcher, given: [:]),
        Row(row: 2, way: "page Play", visit: inApp(.android)),
        Row(
            row: 2, way: "page /afl", visit: inApp(.android),
            given: apps.adding("afl", "https://example.com/afl")),
        Row(row: 2, way: "302 Play", visit: inApp(.android, hasLeft: true)),
        Row(row: 3, way: "302 Play", visit: android),
        Row(row: 3, way: "302 /afl", visit: android, given: apps.adding("afl", "https://example.com/afl")),
        Row(row: 3, way: "302 /link", visit: old(.android)),
        Row(row: 3, way: "302 /al", visit: old(.android), given: apps.adding("al", "https://example.com/al")),
        Row(row: 4, way: "page App Store", visit: phone),
        Row(row: 4, way: "page App Store", visit: inApp(.iOS)),
        Row(row: 4, way: "page App Store", visit: inApp(.iOS, hasLeft: true)),
        Row(row: 4, way: "page /ifl", visit: phone, given: apps.adding("ifl", "https://example.com/ifl")),
        Row(row: 4, way: "page /link", visit: phone, given: ["ibi": "com.example.app"]),
        Row(row: 4, way: "page /link", visit: old(.iOS)),
        Row(
            row: 4, way: "page App Store", visit: phone,
            given: apps.adding("ipfl", "https://example.com/ipfl")),
        Row(row: 4, way: "page /ipfl", visit: pad, given: apps.adding("ipfl", "https://example.com/ipfl")),
        Row(row: 4, way: "page App Store", visit: pad, given: ["ipbi": "com.example.pad", "isi": "123"]),
        Row(row: 5, way: "302 App Store", visit: phone, given: apps.adding("efr", "1")),
        Row(row: 4, way: "page App Store", visit: phone, given: apps.adding("efr", "0")),
        Row(row: 6, way: "iPad App Store, else /link", visit: mac),
        Row(
            row: 6, way: "iPad /ipfl, else /ofl", visit: mac,
            given: apps.adding("ipfl", "https://example.com/ipfl").adding("ofl", "https://example.com/ofl")),
        Row(row: 7, way: "302 /link", visit: mac, given: ["apn": "com.example.app"]),
        Row(row: 7, way: "302 /link", visit: computer),
        Row(row: 7, way: "302 /ofl", visit: computer, given: apps.adding("ofl", "https://example.com/ofl")),
        Row(row: 7, way: "302 /link", visit: android, given: ["ibi": "com.example.app"]),
        Row(row: 7, way: "302 /link", visit: phone, given: ["apn": "com.example.app", "isi": "123"]),
        Row(row: 7, way: "302 /link", visit: phone, given: ["ipbi": "com.example.pad"]),
    ]

    @Test(arguments: rows)
    private func `a visitor goes where the table says`(row: Row) throws {
        var config = AppConfig()
        (config.minimumIOS, config.minimumAndroid) = (SystemVersion(15), SystemVersion(8))
        let given = [("link", "https://example.com/link")] + row.given.map { ($0.key, $0.value) }
        let answer = try DeepLinkDecision(to: row.visit, DeepLinkTests.read(given).0, AppListing(config))
        #expect((answer.row, "\(answer.way)") == (row.row, row.way))
    }

    @Test func `every row of the table is tested`() {
        #expect(Set(Self.rows.map(\.row)) == Set(1...7))
    }
}

extension [String: String] {
    fileprivate func adding(_ name: String, _ value: String) -> [String: String] {
        merging([name: value]) { $1 }
    }
}

extension DeepLinkDecision.Way: CustomStringConvertible {
    var description: String {
        switch self {
        case .redirect(let place): "302 \(place)"
        case .page(let place): "page \(place)"
        case .asking(let iPad, let other): "iPad \(iPad), else \(other)"
        case .preview: "preview"
        }
    }
}

extension DeepLinkDecision.Destination: CustomStringConvertible {
    var description: String {
        switch self {
        case .playStore: "Play"
        case .appStore: "App Store"
        case .url(let url): url.rest
        }
    }
}
