import Synchronization

/// Keeps recent pictures: drawing costs more than a page, and thousands may open one link. How many an address may have
/// drawn is limited.
final class PictureCache<Picture: Hashable & Sendable>: Sendable {
    /// Nil if limits are off.
    private let limiter: RateLimiter?
    /// When the young pictures have this many bytes, they become the old ones, and the old ones are dropped.
    private let half: Int
    private let kept = Mutex(Kept())

    private struct Kept {
        var young: [Picture: [UInt8]] = [:]
        var old: [Picture: [UInt8]] = [:]
        var youngBytes = 0
    }

    init(limiter: RateLimiter?, mostBytes: Int) {
        self.limiter = limiter
        half = mostBytes / 2
    }

    /// - Parameter address: nil if it is not to be counted.
    func bytes(
        of picture: Picture, for address: ClientAddress?, draw: (Picture) async throws -> [UInt8]
    ) async throws -> [UInt8] {
        if let known = kept.withLock({ $0.young[picture] ?? $0.old[picture] }) { return known }
        if let address { try limiter?.require(.pictures, address.subject) }
        let bytes = try await draw(picture)
        keep(bytes, of: picture)
        return bytes
    }

    func drop(_ picture: Picture) {
        kept.withLock { kept in
            kept.youngBytes -= kept.young.removeValue(forKey: picture)?.count ?? 0
            kept.old[picture] = nil
        }
    }

    private func keep(_ bytes: [UInt8], of picture: Picture) {
        kept.withLock { kept in
            guard kept.young[picture] == nil else { return }
            if kept.youngBytes + bytes.count > half { kept = Kept(old: kept.young) }
            kept.young[picture] = bytes
            kept.youngBytes += bytes.count
        }
    }
}
