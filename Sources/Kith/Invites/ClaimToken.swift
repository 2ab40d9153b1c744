import Foundation

/// Names what an app claimed after its installation, a row of `installs`. Nobody can guess it.
struct ClaimToken: InstallKey {
    let inviter: User.ID
    /// `claim_id`.
    let id: UUID
}

/// Names a row of `installs` by its inviter and a random id; as text 43 characters of base64url.
protocol InstallKey: Hashable, Sendable {
    var inviter: User.ID { get }
    var id: UUID { get }

    init(inviter: User.ID, id: UUID)
}

extension InstallKey {
    /// Nil for a text that `text` cannot be.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(Array(text.utf8)[...]), bytes.count == 32 else { return nil }
        self.init(inviter: User.ID(UUID(bytes: bytes[..<16])), id: UUID(bytes: bytes[16...]))
    }

    var text: String { Base64URL.encode(inviter.uuid.bytes + id.bytes) }
}

extension UUID {
    /// - Parameter bytes: the first 16 count.
    init(bytes: some Collection<UInt8>) {
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes.prefix(16)) }
        self.init(uuid: uuid)
    }
}
