import Synchronization

/// Has cards drawn: each once, however many ask for it at the same time.
final class CardRenderer: Sendable {
    let style: CardStyle
    private let artist: CardArtist
    private let mostWaiting: Int
    let faces: FaceCache
    private let state = Mutex(State())

    private struct State {
        var underWay: [Card: Task<[UInt8], any Error>] = [:]
        var counts = Counts()
    }

    /// What became of those that were asked for.
    struct Counts {
        var drawn = 0
        var refused = 0
        /// Those that could not have the user's picture.
        var withoutFace = 0
    }

    /// - Parameter mostWaiting: fetchers of previews wait for some five seconds, and a card takes 25 ms.
    init(style: CardStyle, faces: FaceCache, mostWaiting: Int = 150) {
        (self.style, self.faces, self.mostWaiting) = (style, faces, mostWaiting)
        artist = CardArtist(style: style)
    }

    /// How many wait or are being drawn.
    var waiting: Int { state.withLock { $0.underWay.count } }
    var counts: Counts { state.withLock { $0.counts } }

    /// Throws a `CardError` if the user's picture cannot be had, or too many cards wait. A picture without the name would be
    /// wrong: fetchers keep it for days.
    func jpeg(of card: Card) async throws -> [UInt8] {
        do {
            guard let task = task(for: card) else { throw CardError.tooManyWaiting }
            return try await task.value
        } catch CardError.noFace {
            state.withLock { $0.counts.withoutFace += 1 }
            throw CardError.noFace
        } catch {
            state.withLock { $0.counts.refused += 1 }
            throw error
        }
    }

    private func task(for card: Card) -> Task<[UInt8], any Error>? {
        state.withLock { state in
            if let task = state.underWay[card] { return task }
            guard state.underWay.count < mostWaiting else { return nil }
            let task = Task {
                defer { _ = self.state.withLock { $0.underWay.removeValue(forKey: card) } }
                let bytes = try await draw(card)
                self.state.withLock { $0.counts.drawn += 1 }
                return bytes
            }
            state.underWay[card] = task
            return task
        }
    }

    private func draw(_ card: Card) async throws -> [UInt8] {
        guard let address = card.face else { return try await artist.jpeg(of: card, face: nil) }
        let face = try await faces.bytes(at: address)
        do {
            return try await artist.jpeg(of: card, face: face)
        } catch CardError.noFace {
            faces.dropUnreadable(address)
            throw CardError.noFace
        }
    }
}
