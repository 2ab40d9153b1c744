/// Lays out and draws cards. Only one thread may use it.
///
/// What matters is in the middle 630 × 600 pixels, since some apps crop previews to a square.
final class CardDrawing {
    /// The most bytes of a card: WhatsApp shows no more than 300 KB.
    static let mostBytes = 300_000
    private static let middle = Double(Card.width) / 2
    private static let textWidth = 600.0

    private let style: CardStyle
    private let fonts = Fonts()

    init(style: CardStyle) {
        self.style = style
    }

    /// Returns a JPEG of at most 300 KB. Nil if there is not enough memory.
    func jpeg(of card: Card, face: Bitmap?) -> [UInt8]? {
        let canvas = draw(card, face: face)
        // Only a busy background needs more than the first quality.
        for quality in [85, 70, 50, 30, 10] {
            guard let bytes = canvas.jpeg(quality: quality) else { return nil }
            if bytes.count <= Self.mostBytes { return bytes }
        }
        return nil
    }

    private func draw(_ card: Card, face: Bitmap?) -> Canvas {
        let canvas = Canvas(width: Card.width, height: Card.height)
        let texts = texts(of: card)
        let height = texts.reduce(0) { $0 + $1.text.height + $1.gap }
        // The face gets smaller if texts are long.
        let radius = min(112, max(72, (560 - height) / 2))
        var y = (Double(Card.height) - height - 2 * radius) / 2
        let ink = drawGround(canvas, card, centre: y + radius)
        drawFace(canvas, card, face, y: y + radius, radius: radius, ink: ink)
        y += 2 * radius
        for (text, alpha, gap) in texts {
            y += gap
            canvas.draw(
                text, x: Self.middle - text.width / 2, y: y, reach: 10, .colour(ink, alpha: alpha))
            y += text.height
        }
        return canvas
    }
}

/// The texts.
extension CardDrawing {
    private func texts(of card: Card) -> [(text: LaidOutText, alpha: Double, gap: Double)] {
        let name = fitted(card.name, card, (line: [92, 76, 64], lines: [64, 54, 40]), isBold: true)
        let caption = fitted(card.caption, card, (line: [46, 40], lines: [36, 30]), isBold: false)
        let handle = card.handle.map {
            fonts.text(known($0, card), Fonts.Style(size: 34, width: Self.textWidth), card.language)
        }
        return [(name, 1, 22), (caption, 0.95, 2)] + (handle.map { [($0, 0.8, 10)] } ?? [])
    }

    /// Returns the text in one line, or in two of a smaller size, in the largest size that leaves room for
    /// the rest.
    private func fitted(
        _ text: String, _ card: Card, _ sizes: (line: [Double], lines: [Double]), isBold: Bool
    ) -> LaidOutText {
        let text = known(text, card)
        func laidOut(_ size: Double, lines: Int) -> LaidOutText {
            fonts.text(
                text, Fonts.Style(size: size, isBold: isBold, lines: lines, width: Self.textWidth),
                card.language)
        }
        for size in sizes.line {
            let line = laidOut(size, lines: 1)
            if !line.isCut, line.height < size * 1.8 { return line }
        }
        var lines = laidOut(sizes.lines[0], lines: 2)
        // Some scripts are twice as high as others.
        for size in sizes.lines.dropFirst() where lines.height > sizes.lines[0] * 3.2 {
            lines = laidOut(size, lines: 2)
        }
        lines.balance()
        return lines
    }

    /// Returns the text without the characters that no font here can show.
    private func known(_ text: String, _ card: Card) -> String {
        func isKnown(_ text: String) -> Bool {
            fonts.text(text, Fonts.Style(size: 40, isBold: true, width: 10_000), card.language).unknownGlyphs
                == 0
        }
        let text = text.drawable()
        return isKnown(text) ? text : text.filter { isKnown(String($0)) }
    }
}

/// What is behind the texts, and above them.
extension CardDrawing {
    /// Draws the background. Returns the colour for what stands on it.
    private func drawGround(_ canvas: Canvas, _ card: Card, centre y: Double) -> Colour {
        let (width, height) = (Double(Card.width), Double(Card.height))
        if let background = style.background {
            canvas.fill(.all, background, x: 0, y: 0, width: width, height: height)
            let ink = Colour.ink(on: background.luminanceOfMiddle)
            let veil: Colour = ink == .white ? .dark : .white
            canvas.fill(.all, .glow(veil, alpha: 0.8, x: Self.middle, y: height / 2 + 40, radius: 640))
            return ink
        }
        let colours = style.colours(tint: card.tint)
        let ink = Colour.ink(on: max(colours.start.luminance, colours.end.luminance))
        canvas.fill(
            .all, .diagonal(colours, x: width / 2, y: height / 2, radius: (width + height) / 2 * 0.7071))
        canvas.fill(.all, .glow(.white, alpha: 0.16, x: 130, y: 0, radius: 620))
        canvas.fill(.all, .glow(.dark, alpha: 0.22, x: 1120, y: 640, radius: 640))
        for (radius, alpha) in [(190.0, 0.066), (300, 0.048), (430, 0.036), (580, 0.027)] {
            canvas.fill(.circle(x: Self.middle, y: y, radius: radius), .colour(.white, alpha: alpha))
        }
        return ink
    }

    private func drawFace(
        _ canvas: Canvas, _ card: Card, _ face: Bitmap?, y: Double, radius: Double, ink: Colour
    ) {
        let x = Self.middle
        canvas.fill(.circle(x: x, y: y, radius: radius + 8), .colour(.white))
        if let face {
            canvas.fill(
                .circle(x: x, y: y, radius: radius), face, x: x - radius, y: y - radius, width: 2 * radius,
                height: 2 * radius)
        } else {
            let colours = style.colours(tint: card.tint)
            let paint: Canvas.Paint =
                ink == .white ? .diagonal(colours, x: x, y: y, radius: radius) : .colour(.dark)
            drawInitial(canvas, card, y: y, radius: radius, paint)
        }
        if let icon = style.icon {
            let (side, left, top) = (radius * 0.74, x + radius * 0.42, y + radius * 0.36)
            canvas.fill(
                .square(x: left - 7, y: top - 7, side: side + 14, radius: side * 0.23 + 7), .colour(.white))
            canvas.fill(
                .square(x: left, y: top, side: side, radius: side * 0.23), icon, x: left, y: top,
                width: side, height: side)
        }
    }

    private func drawInitial(
        _ canvas: Canvas, _ card: Card, y: Double, radius: Double, _ paint: Canvas.Paint
    ) {
        let initial = known(card.initial, card)
        func text(size: Double) -> LaidOutText {
            fonts.text(initial, Fonts.Style(size: size, isBold: true, width: 10_000), card.language)
        }
        var laidOut = text(size: radius)
        let side = max(laidOut.ink.width, laidOut.ink.height)
        if side > 1.4 * radius { laidOut = text(size: radius * 1.4 * radius / side) }
        let ink = laidOut.ink
        canvas.draw(
            laidOut, x: Self.middle - ink.x - ink.width / 2, y: y - ink.y - ink.height / 2, reach: radius,
            paint)
    }
}
