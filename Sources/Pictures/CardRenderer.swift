import Synchronization
import Web

/// Has cards drawn in a style, each once, however many ask for it at the same time.
package final class CardRenderer: Sendable {
    package let style: CardStyle
    private let drawer: CardThread
    private let shared: Shared

    /// What the renderers of all apps share, so that many apps use no more than one does.
    private final class Shared: Sendable {
        let thread = BackgroundThread("cards")
        let faces: FaceCache
        let mostWaiting: Int
        let state = Mutex(State())

        init(_ faces: FaceCache, _ mostWaiting: Int) {
            (self.faces, self.mostWaiting) = (faces, mostWaiting)
        }
    }

    private struct State {
        var underWay: [Drawn: Task<[UInt8], any Error>] = [:]
        var counts = Counts()
    }

    private struct Drawn: Hashable {
        let card: Card
        let style: String
    }

    /// How many cards had which outcome.
    struct Counts {
        var drawn = 0
        var refused = 0
        /// How many cards were drawn without the user's picture, which was not available.
        var withoutFace = 0
    }

    /// - Parameter mostWaiting: how many cards may wait. Fetchers of previews wait for some five seconds, and
    ///   a card takes 25 ms.
    package init(style: CardStyle, faces: FaceCache, mostWaiting: Int = 150) {
        self.style = style
        shared = Shared(faces, mostWaiting)
        drawer = CardThread(style: style, thread: shared.thread)
    }

    /// Creates a renderer of another style with the same thread, limits and counters.
    package init(style: CardStyle, beside other: CardRenderer) {
        (self.style, shared) = (style, other.shared)
        drawer = CardThread(style: style, thread: shared.thread)
    }

    /// How many cards wait or are being drawn.
    var waiting: Int { shared.state.withLock { $0.underWay.count } }
    var counts: Counts { shared.state.withLock { $0.counts } }

    /// Returns the packages of fonts without which cards leave out characters.
    package func missingFonts() async -> [String] { await drawer.missingFonts() }

    /// Returns a card. Throws a `CardError` if the user's picture is not available, or too many cards wait. A
    /// picture without the name would be wrong, since fetchers keep it for days.
    package func jpeg(of card: Card) async throws -> [UInt8] {
        do {
            guard let task = task(for: card) else { throw CardError.tooManyWaiting }
            return try await task.value
        } catch CardError.noFace {
            shared.state.withLock { $0.counts.withoutFace += 1 }
            throw CardError.noFace
        } catch {
            shared.state.withLock { $0.counts.refused += 1 }
            throw error
        }
    }

    private func task(for card: Card) -> Task<[UInt8], any Error>? {
        let drawn = Drawn(card: card, style: style.tag)
        return shared.state.withLock { state in
            if let task = state.underWay[drawn] { return task }
            guard state.underWay.count < shared.mostWaiting else { return nil }
            let task = Task {
                defer { _ = shared.state.withLock { $0.underWay.removeValue(forKey: drawn) } }
                let bytes = try await draw(card)
                shared.state.withLock { $0.counts.drawn += 1 }
                return bytes
            }
            state.underWay[drawn] = task
            return task
        }
    }

    private func draw(_ card: Card) async throws -> [UInt8] {
        guard let address = card.face else { return try await drawer.jpeg(of: card, face: nil) }
        let face = try await shared.faces.bytes(at: address)
        do {
            return try await drawer.jpeg(of: card, face: face)
        } catch CardError.noFace {
            shared.faces.dropUnreadable(address)
            throw CardError.noFace
        }
    }
}
