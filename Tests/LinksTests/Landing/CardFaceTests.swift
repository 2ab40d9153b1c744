import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Pictures
@testable import Web

/// Users' pictures on cards: fetched from allowed hosts only, and never in the way of a card.
@Suite(.inTurns) struct CardFaceTests {
    /// Answers as it is told, and counts.
    private final class Host: Sendable {
        private let state = Mutex((answer: HTTPFetch.Answer?.none, urls: [String]()))

        var urls: [String] { state.withLock { $0.urls } }

        func answers(_ answer: HTTPFetch.Answer?) { state.withLock { $0.answer = answer } }

        var fetch: HTTPFetch {
            HTTPFetch { url in
                let answer = self.state.withLock { state in
                    state.urls.append(url.absoluteString)
                    return state.answer
                }
                guard let answer else { throw HTTPFetch.Failure.late(.seconds(2)) }
                return answer
            }
        }
    }

    private static let url = "https://pictures.example/ann.png"
    private static let path = "/users/ann/card.jpg?invitedBy=u-ann"

    private func run(_ host: Host, _ clock: Clock, _ test: @Sendable (TestApp) async throws -> Void)
        async throws
    {
        var world = World.live
        world.fetchPicture = host.fetch
        world.now = { clock.now }
        let hosts = try #require(AvatarHosts("pictures.example"))
        try await TestApp.run(configure: { $0.avatarHosts = hosts }, world: world) { app in
            try await app.signUp("ann")
            let answer = try await app.call(
                .patch, "/v1/me", as: "u-ann", body: ["avatarUrl": Self.url])
            #expect(answer.status == 200, "\(answer.text)")
            try await test(app)
        }
    }

    private final class Clock: Sendable {
        private let passed = Mutex<TimeInterval>(0)
        var now: Date { Date() + passed.withLock { $0 } }
        func pass(_ seconds: TimeInterval) { passed.withLock { $0 += seconds } }
    }

    @Test func `the picture is fetched once and drawn`() async throws {
        let host = Host()
        host.answers(.init(status: 200, body: Data(try QRCode("face").png(side: 400))))
        try await run(host, Clock()) { app in
            let answer = try await app.get(Self.path)
            #expect(answer.status == 200 && answer.headers[.eTag] != nil)
            #expect(try await app.get(Self.path + "&hl=ja").status == 200)
            #expect(host.urls == [Self.url])
            _ = try await app.call(.patch, "/v1/me", as: "u-ann", body: ["avatarUrl": ""])
            let bare = try await app.get(Self.path)
            #expect(bare.bytes != answer.bytes && bare.headers[.eTag] != answer.headers[.eTag])
        }
    }

    private static let failures: [HTTPFetch.Answer?] = [
        nil, .init(status: 404, body: Data()),
        .init(status: 302, headers: ["location": "http://10.0.0.1/"], body: Data()),
        .init(status: 200, body: Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)),
        .init(status: 200, body: Data([0xFF, 0xD8, 0xFF, 0xE0])), .init(status: 200, body: Data()),
    ]

    @Test(arguments: failures.indices)
    func `without it the card has the initial, and nobody keeps that card`(number: Int) async throws {
        let (host, clock) = (Host(), Clock())
        host.answers(Self.failures[number])
        try await run(host, clock) { app in
            let bare = try await app.get(Self.path)
            #expect(bare.status == 200)
            #expect(bare.headers[.eTag] == nil && bare.headers[.cacheControl] == "no-store")
            #expect(try await app.get(Self.path).bytes == bare.bytes)
            #expect(host.urls.count == 1, "it is not asked again at once")
        }
    }

    @Test func `a minute after a failure it is asked again`() async throws {
        let (host, clock) = (Host(), Clock())
        try await run(host, clock) { app in
            let bare = try await app.get(Self.path)
            host.answers(.init(status: 200, body: Data(try QRCode("face").png(side: 400))))
            #expect(try await app.get(Self.path).bytes == bare.bytes)
            clock.pass(61)
            let whole = try await app.get(Self.path)
            #expect(whole.bytes != bare.bytes && whole.headers[.eTag] != nil)
        }
    }

    @Test func `a minute after a picture that nobody can draw, it is asked again`() async throws {
        let (host, clock) = (Host(), Clock())
        host.answers(.init(status: 200, body: Data([0xFF, 0xD8, 0xFF, 0xE0])))
        try await run(host, clock) { app in
            let bare = try await app.get(Self.path)
            #expect(try await app.get(Self.path + "&hl=ja").headers[.cacheControl] == "no-store")
            host.answers(.init(status: 200, body: Data(try QRCode("face").png(side: 400))))
            #expect(try await app.get(Self.path).bytes == bare.bytes)
            #expect(host.urls.count == 1)
            clock.pass(61)
            let whole = try await app.get(Self.path)
            #expect(whole.bytes != bare.bytes && whole.headers[.eTag] != nil)
        }
    }

    /// A sound grey JPEG of 512 × 512 pixels, in few bytes: after the first scan each refines one coefficient
    /// by one bit, and says in two bytes that all blocks have none.
    private static func jpeg(scans: Int) -> [UInt8] {
        func segment(_ marker: UInt8, _ data: [UInt8]) -> [UInt8] {
            [0xFF, marker, UInt8((data.count + 2) >> 8), UInt8((data.count + 2) & 255)] + data
        }
        func table(_ name: UInt8, _ symbol: UInt8) -> [UInt8] {
            segment(0xC4, [name, 1] + [UInt8](repeating: 0, count: 15) + [symbol])
        }
        var bytes: [UInt8] = [0xFF, 0xD8]
        bytes += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        bytes += segment(0xC2, [8, 2, 0, 2, 0, 1, 1, 0x11, 0])
        bytes += table(0x00, 0x00) + segment(0xDA, [1, 1, 0, 0, 0, 0])
        bytes += [UInt8](repeating: 0, count: 4096 / 8)
        bytes += table(0x10, 0xC0)
        for number in 0..<scans - 1 {
            let (coefficient, round) = (UInt8(number / 14 + 1), UInt8(number % 14))
            let bits = round == 0 ? 13 : (14 - round) << 4 | (13 - round)
            bytes += segment(0xDA, [1, 1, 0, coefficient, coefficient, bits]) + [0x00, 0x07]
        }
        return bytes + [0xFF, 0xD9]
    }

    @Test func `a JPEG of hundreds of scans is not decoded: each takes as long as a whole picture`() {
        #expect(Bitmap(Self.jpeg(scans: 10), maxPixels: 12_500_000)?.width == 512)
        #expect(Bitmap(Self.jpeg(scans: 381), maxPixels: 12_500_000)?.width == 512)
        #expect(Self.jpeg(scans: 400).count < 10_000)
        #expect(Bitmap(Self.jpeg(scans: 400), maxPixels: 12_500_000) == nil)
    }

    @Test func `a picture with more pixels than a phone takes is not decoded`() throws {
        let bytes = try QRCode("face").png(side: 1000)
        #expect(Bitmap(bytes, maxPixels: 999_999) == nil)
        #expect(Bitmap(bytes, maxPixels: 1_000_000)?.halved(above: 224).width == 250)
    }

    @Test func `a large JPEG is read at a part of its size`() throws {
        let card = try #require(
            CardDrawing(style: CardStyle()).jpeg(of: Card.named("Hana"), face: nil))
        let picture = try #require(Bitmap(card, maxPixels: 1_000_000, keepingSide: 224))
        #expect(picture.width == 600 && picture.height == 315)
    }
}
