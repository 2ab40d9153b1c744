import Foundation
import Synchronization
import Testing

@testable import AppTesting
@testable import Kith
@testable import Links
@testable import Pictures
@testable import Web

/// Many who ask for cards at once.
@Suite struct CardRendererTests {
    private static let noFaces = FaceCache(
        fetch: HTTPFetch { _ in throw HTTPFetch.Failure.refused }, now: { Date() })

    private static func card(_ number: Int) -> Card { Card.named("Hana \(number)") }

    @Test func `cards beyond those that may wait are refused, and the rest are drawn`() async throws {
        let renderer = CardRenderer(style: CardStyle(), faces: Self.noFaces, mostWaiting: 3)
        let outcomes = await withTaskGroup(of: (any Error)?.self) { group in
            for number in 0..<12 {
                group.addTask {
                    do {
                        _ = try await renderer.jpeg(of: Self.card(number))
                        return nil
                    } catch { return error }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } >= 3)
        #expect(outcomes.contains { $0 as? CardError == .tooManyWaiting })
        _ = try await renderer.jpeg(of: Self.card(99))
    }

    @Test func `those who ask for one card at the same time wait for one drawing`() async throws {
        let renderer = CardRenderer(style: CardStyle(), faces: Self.noFaces, mostWaiting: 1)
        let pictures = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<50 { group.addTask { try await renderer.jpeg(of: Self.card(1)) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(pictures.count == 1)
    }

    @Test func `those who ask at the same time for names of other glyphs get their own`() async throws {
        let renderer = CardRenderer(style: CardStyle(), faces: Self.noFaces)
        async let one = renderer.jpeg(of: Card.named("\u{795E}"))
        async let other = renderer.jpeg(of: Card.named("\u{FA19}"))
        #expect(try await one != other)
        #expect(renderer.counts.drawn == 2)
    }

    private static func card(_ number: Int, face: String) -> Card {
        var card = card(number)
        card.face = "https://\(face)"
        return card
    }

    /// How each card ends, by its number; nil if it is drawn with its face.
    private func outcomes(_ renderer: CardRenderer, _ cards: [Card]) async -> [CardError?] {
        await withTaskGroup(of: (Int, CardError?).self) { group in
            for (number, card) in cards.enumerated() {
                group.addTask {
                    do {
                        _ = try await renderer.jpeg(of: card)
                        return (number, nil)
                    } catch { return (number, error as? CardError ?? .noMemory) }
                }
            }
            return await group.reduce(into: [CardError?](repeating: nil, count: cards.count)) {
                $0[$1.0] = $1.1
            }
        }
    }

    /// A host of pictures that takes 20 ms, and lists whom it was asked for.
    private final class Host: Sendable {
        let asked = Mutex<[String]>([])
        let png = Result { Data(try QRCode("face").png(side: 64)) }

        func faces(
            failing: HTTPFetch.Failure? = nil, mostWait: Duration = .seconds(2),
            report: @escaping @Sendable (String, String) -> Void = { _, _ in }
        ) -> FaceCache {
            FaceCache(
                fetch: HTTPFetch { url in
                    self.asked.withLock { $0.append(url.absoluteString) }
                    try await Task.sleep(for: .milliseconds(20))
                    if let failing, url.host() == "dead.example" { throw failing }
                    return .init(status: 200, body: try self.png.get())
                }, now: { Date() }, mostWait: mostWait, report: report)
        }
    }

    @Test func `however many ask at once, every card has its face, and each face is fetched once`()
        async throws
    {
        let host = Host()
        let renderer = CardRenderer(style: CardStyle(), faces: host.faces(mostWait: .seconds(60)))
        let cards = (0..<80).map { Self.card($0, face: "a.example/\($0 / 2).png") }
        #expect(await outcomes(renderer, cards) == [CardError?](repeating: nil, count: 80))
        #expect(host.asked.withLock { $0.count } == 40)
        #expect(renderer.counts.drawn == 80 && renderer.counts.withoutFace == 0)
    }

    @Test func `faces of a host that cannot be reached are not waited for, and those of others are`()
        async throws
    {
        let (host, lines) = (Host(), LogLines())
        let renderer = CardRenderer(
            style: CardStyle(), faces: host.faces(failing: .refused, report: App.failingHosts(lines.logger)))
        let first = await outcomes(renderer, [Self.card(0, face: "dead.example/0.png")])
        let cards = (1..<9).map { Self.card($0, face: "\($0 % 2 == 0 ? "dead" : "a").example/\($0).png") }
        #expect(first + (await outcomes(renderer, cards)) == (0..<9).map { $0 % 2 == 0 ? .noFace : nil })
        #expect(host.asked.withLock { $0.count } == 5)
        #expect(
            lines.all == [
                """
                warning: cannot get a user's picture: their card has the initial host=dead.example pictures=1 \
                reason=it refuses connections at this port
                """
            ])
        let metrics = try PrometheusText(renderer.metricsText()).samples
        #expect(metrics["kith_cards_without_picture_total"] == 5 && metrics["kith_cards_drawn_total"] == 4)
        #expect(metrics["kith_cards_waiting"] == 0 && metrics["kith_cards_refused_total"] == 0)
    }

    @Test func `one slow picture says nothing about its host`() async throws {
        let host = Host()
        let renderer = CardRenderer(style: CardStyle(), faces: host.faces(failing: .late(.seconds(2))))
        for number in 0..<2 {
            let card = Self.card(number, face: "dead.example/\(number).png")
            #expect(await outcomes(renderer, [card, card]) == [.noFace, .noFace])
        }
        #expect(host.asked.withLock { $0.count } == 2)
    }

    @Test func `what was drawn is kept, up to some bytes`() async throws {
        let cache = PictureCache<Int>(limiter: nil, mostBytes: 40)
        var drawn: [Int] = []
        for number in [1, 1, 2, 1, 3, 4, 5, 1] {
            _ = try await cache.bytes(of: number, for: nil) { number in
                drawn.append(number)
                return [UInt8](repeating: 0, count: 10)
            }
        }
        #expect(drawn == [1, 2, 3, 4, 5, 1])
    }
}
