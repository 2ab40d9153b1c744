package import Foundation

extension UUID {
    /// Makes a UUID of the first sixteen bytes.
    package init(bytes: some Sequence<UInt8>) {
        self.init(uuid: Array(bytes.prefix(16)).withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }

    /// The UUID that sorts before all others. It stands for none, as for NULL in arrays.
    package static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// Returns a UUID from the system's generator. Foundation's own reads a file, and without free
    /// descriptors it returns the same one again and again.
    package static func random() -> UUID { UUID(bytes: World.live.randomBytes(16)) }
}
