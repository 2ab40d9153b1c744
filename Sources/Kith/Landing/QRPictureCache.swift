import Synchronization

/// Draws pictures and keeps recent ones: drawing costs more than a page, and thousands may open one link. How many an
/// address may have drawn is limited.
final class QRPictureCache: Sendable {
    /// Nil if limits are off.
    private let limiter: RateLimiter?
    /// When there are this many young pictures, they become the old ones, and the old ones are dropped.
    private let half: Int
    private let kept = Mutex((young: [QRPicture: [UInt8]](), old: [QRPicture: [UInt8]]()))
    /// Bytes. The picture of a link of a hundred characters has half as many.
    private static let largestKept = 16 * 1024

    init(limiter: RateLimiter?, capacity: Int = 256) {
        self.limiter = limiter
        half = capacity / 2
    }

    /// - Parameter address: nil if it is not to be counted.
    func bytes(of picture: QRPicture, for address: ClientAddress?) throws -> [UInt8] {
        if let known = kept.withLock({ $0.young[picture] ?? $0.old[picture] }) { return known }
        if let address { try limiter?.require(.pictures, address.subject) }
        let bytes = try picture.draw()
        if bytes.count <= Self.largestKept { keep(bytes, of: picture) }
        return bytes
    }

    private func keep(_ bytes: [UInt8], of picture: QRPicture) {
        kept.withLock { kept in
            if kept.young.count >= half { kept = (young: [:], old: kept.young) }
            kept.young[picture] = bytes
        }
    }
}
