import Foundation

/// Names a row of `installs`: by its id it is the token that travels through a store, by its claim the claim of an app.
/// Nobody can guess either.
struct InstallToken: Hashable, Sendable {
    let inviter: User.ID
    let id: UUID

    init(inviter: User.ID, id: UUID) {
        (self.inviter, self.id) = (inviter, id)
    }

    /// Nil for a text that `text` cannot be.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(Array(text.utf8)[...]), bytes.count == 32 else { return nil }
        (inviter, id) = (User.ID(UUID(bytes: bytes[..<16])), UUID(bytes: bytes[16...]))
    }

    /// 43 characters of base64url.
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
