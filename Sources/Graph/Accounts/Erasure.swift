package import Foundation
import Kernel

/// A deletion of an account, or the end of a key, which a backup must not undo. It is a line of
/// `KITH_ERASURE_LOG`.
package struct Erasure: Equatable, Sendable, Codable {
    package let at: Date
    /// The deleted account's `users.id`, which is made of the uid and names nobody.
    package var deleted: UUID?
    /// The event that reported the deletion.
    var event: Int64?
    /// The id of the revoked key.
    package var revoked: String?

    init(deleted user: User.ID, event: Int64, at: Date) {
        (deleted, self.event, self.at) = (user.uuid, event, at)
    }

    init(revoked key: String, at: Date) {
        (revoked, self.at) = (key, at)
    }

    /// Nil if the line is not one of these, for instance if it was cut.
    package init?(line: some StringProtocol) {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        guard let read = try? decoder.decode(Self.self, from: Data(line.utf8)),
            (read.deleted == nil) != (read.revoked == nil)
        else { return nil }
        self = read
    }

    var line: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Int64((date.timeIntervalSince1970 * 1000).rounded()))
        }
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
