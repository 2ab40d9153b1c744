import Dispatch

/// Draws cards one after the other, on a thread of its own: neither an event loop nor Swift's pool may wait for the 25 ms that
/// one takes.
actor CardArtist {
    private nonisolated let thread = DrawingThread()
    private let drawing: CardDrawing

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(style: CardStyle) {
        drawing = CardDrawing(style: style)
    }

    func jpeg(of card: Card) -> [UInt8]? { drawing.jpeg(of: card, face: nil) }
}

private final class DrawingThread: SerialExecutor {
    private let queue = DispatchQueue(label: "cards", qos: .utility)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
