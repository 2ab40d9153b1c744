import Dispatch

/// Draws the cards of a style, one after the other, on a thread that all styles share. Neither an event loop
/// nor Swift's pool may wait for the 25 ms that one card takes.
actor CardThread {
    private nonisolated let thread: DrawingThread
    private let drawing: CardDrawing

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(style: CardStyle, thread: DrawingThread) {
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

final class DrawingThread: SerialExecutor {
    private let queue = DispatchQueue(label: "cards", qos: .utility)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
