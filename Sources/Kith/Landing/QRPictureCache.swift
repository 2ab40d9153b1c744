import Synchronization

/// Draws pictures, which costs more than a page, and keeps those drawn lately: thousands who open one link need one. What
/// an address lets be drawn is limited.
final class QRPictureCache: Sendable {
    /// Nil if limits are off.
    private let limiter: RateLimiter?
    /// When the young are so many, they become the old, and the old are forgotten.
    private let half: Int
    private let kept = Mutex((young: [QRPicture: [UInt8]](), old: [QRPicture: [UInt8]]()))
    /// Bytes. A link of a hundred characters makes half of it.
    private static let largestKept = 16 * 1024

    init(limiter: RateLimiter?, capacity: Int = 256) {
        self.limiter = limiter
        half = capacity / 2
    }

    /// - Parameter address: nil if it is nobody's.
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
