import Synchronization

/// Has cards drawn: each once, however many ask for it at the same time.
final class CardRenderer: Sendable {
    let style: CardStyle
    private let artist: CardArtist
    private let mostWaiting: Int
    private let underWay = Mutex<[Card: Task<[UInt8]?, Never>]>([:])

    /// - Parameter mostWaiting: fetchers of previews wait for some five seconds, and a card takes 25 ms.
    init(style: CardStyle, mostWaiting: Int = 150) {
        (self.style, self.mostWaiting) = (style, mostWaiting)
        artist = CardArtist(style: style)
    }

    /// Throws if too many cards wait. A picture without the name would be wrong: fetchers keep it for days.
    func jpeg(of card: Card) async throws(CardError) -> [UInt8] {
        guard let task = task(for: card) else { throw .tooManyWaiting }
        guard let bytes = await task.value else { throw .noMemory }
        return bytes
    }

    private func task(for card: Card) -> Task<[UInt8]?, Never>? {
        underWay.withLock { underWay in
            if let task = underWay[card] { return task }
            guard underWay.count < mostWaiting else { return nil }
            let task = Task {
                let bytes = await artist.jpeg(of: card)
                _ = self.underWay.withLock { $0.removeValue(forKey: card) }
                return bytes
            }
            underWay[card] = task
            return task
        }
    }
}
