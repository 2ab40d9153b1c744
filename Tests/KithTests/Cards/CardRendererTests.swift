import Foundation
import Testing

@testable import Kith

/// Many who ask for cards at once.
@Suite struct CardRendererTests {
    private static let noFaces = FaceCache(
        fetch: HTTPFetch { _ in throw CancellationError() }, now: { Date() })

    private static func card(_ number: Int) -> Card { CardDrawingTests.card("Hana \(number)") }

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
