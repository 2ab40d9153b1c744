import Web

/// Draws the cards of a style, one after the other, on a thread that all styles share. One takes 25 ms.
actor CardThread {
    private nonisolated let thread: BackgroundThread
    private let drawing: CardDrawing

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(style: CardStyle, thread: BackgroundThread) {
        self.thread = thread
        drawing = CardDrawing(style: style)
    }

    func missingFonts() -> [String] { Fonts.missingPackages() }

    /// The most pixels of a picture. Phones take pictures of 12 million.
    private static let mostPixels = 12_500_000

    /// - Parameter face: the user's picture as it was fetched.
    func jpeg(of card: Card, face: [UInt8]?) throws(CardError) -> [UInt8] {
        let picture = face.flatMap { Bitmap($0, maxPixels: Self.mostPixels, keepingSide: 224) }
        guard card.face == nil || picture != nil else { throw .noFace }
        guard let bytes = drawing.jpeg(of: card, face: picture?.halved(above: 224)) else { throw .noMemory }
        return bytes
    }
}
