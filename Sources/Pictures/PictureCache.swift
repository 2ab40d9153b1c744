package import Kernel
package import Web

/// Keeps recent pictures: drawing costs more than a page, and thousands may open one link. How many pictures
/// an address may have drawn is limited.
package final class PictureCache<Picture: Hashable & Sendable>: Sendable {
    /// The limiter. Nil if limits are off.
    private let limiter: RateLimiter?
    private let kept: RecentCache<Picture, [UInt8]>

    package init(limiter: RateLimiter?, mostBytes: Int) {
        self.limiter = limiter
        kept = RecentCache(most: mostBytes, weight: \.count)
    }

    /// - Parameter address: the address of the caller. Nil if it is not counted.
    package func bytes(
        of picture: Picture, for address: ClientAddress?, draw: (Picture) async throws -> [UInt8]
    ) async throws -> [UInt8] {
        if let known = kept[picture] { return known }
        if let address { try limiter?.require(.pictures, address.subject) }
        let bytes = try await draw(picture)
        kept.keep(bytes, at: picture)
        return bytes
    }

    func drop(_ picture: Picture) { kept.drop(picture) }
}
