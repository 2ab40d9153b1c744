/// The outlines used so far: the same few for most visitors, of the thousands that there could be.
final class PageOutlineCache: Sendable {
    private let known = RecentCache<PageShape, PageOutline<PageSlot>>(most: 1000)

    func outline(of shape: PageShape, _ render: () -> PageOutline<PageSlot>) -> PageOutline<PageSlot> {
        if let outline = known[shape] { return outline }
        let outline = render()
        known.keep(outline, at: shape)
        return outline
    }
}
