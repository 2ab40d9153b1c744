import Synchronization

/// The outlines used so far: the same few for most visitors, of the thousands that there could be.
final class PageOutlineCache: Sendable {
    private let known = Mutex<[PageShape: PageOutline<PageSlot>]>([:])

    func outline(of shape: PageShape, _ render: () -> PageOutline<PageSlot>) -> PageOutline<PageSlot> {
        if let outline = known.withLock({ $0[shape] }) { return outline }
        let outline = render()
        known.withLock { known in
            if known.count >= 1000 { known = [:] }
            known[shape] = outline
        }
        return outline
    }
}
