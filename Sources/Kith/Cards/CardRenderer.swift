import Synchronization

/// Has cards drawn: each once, however many ask for it at the same time.
final class CardRenderer: Sendable {
    let style: CardStyle
    private let artist: CardArtist
    private let mostWaiting: Int
    private let faces: FaceCache
    private let underWay = Mutex<[Card: Task<[UInt8], any Error>]>([:])

    /// - Parameter mostWaiting: fetchers of previews wait for some five seconds, and a card takes 25 ms.
    init(style: CardStyle, faces: FaceCache, mostWaiting: Int = 150) {
        (self.style, self.faces, self.mostWaiting) = (style, faces, mostWaiting)
        artist = CardArtist(style: style)
    }

    /// Throws a `CardError` if the user's picture cannot be had, or too many cards wait. A picture without the name would be
    /// wrong: fetchers keep it for days.
    func jpeg(of card: Card) async throws -> [UInt8] {
        guard let task = task(for: card) else { throw CardError.tooManyWaiting }
        return try await task.value
    }

    private func task(for card: Card) -> Task<[UInt8], any Error>? {
        underWay.withLock { underWay in
            if let task = underWay[card] { return task }
            guard underWay.count < mostWaiting else { return nil }
            let task = Task {
                defer { _ = self.underWay.withLock { $0.removeValue(forKey: card) } }
                guard let address = card.face else { return try await artist.jpeg(of: card, face: nil) }
                guard let face = await faces.bytes(at: address) else { throw CardError.noFace }
                return try await artist.jpeg(of: card, face: face)
            }
            underWay[card] = task
            return task
        }
    }
}
