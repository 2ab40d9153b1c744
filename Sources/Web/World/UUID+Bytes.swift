package import Foundation

extension UUID {
    /// Of the first sixteen of the bytes.
    package init(bytes: some Sequence<UInt8>) {
        self.init(uuid: Array(bytes.prefix(16)).withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }

    /// From the system's generator. Foundation's own reads a file, and without free descriptors it gives the same one again and
    /// again.
    package static func random() -> UUID { UUID(bytes: World.live.randomBytes(16)) }
}
