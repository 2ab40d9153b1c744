import Crypto
package import Foundation
import HTTPTypes
package import Hummingbird

/// The header `Idempotency-Key`, and a hash of its call. The same key with the same call gets the first
/// answer, byte for byte. With another call it is refused.
package struct IdempotencyKey: Sendable {
    package let text: String
    package let requestSHA256: [UInt8]

    /// Nil if the header is absent. The name of the call and its content, as canonical JSON, distinguish
    /// calls. Members that are null or absent do not count, nor does the order of members.
    package init?(_ request: Request, call: String, content: some Encodable) throws {
        guard let header = try request.header(.idempotencyKey) else { return nil }
        let bare =
            header.count >= 2 && header.hasPrefix("\"") && header.hasSuffix("\"")
            ? String(header.dropFirst().dropLast()) : header
        guard (1...255).contains(bare.utf8.count), bare.utf8.allSatisfy(\.isVisibleASCII) else {
            throw Problem.invalid("Idempotency-Key", "must be 1 to 255 visible ASCII characters")
        }
        text = bare
        requestSHA256 = Array(SHA256.hash(data: Array("\(call)\n".utf8) + (try JSON.data(content))))
    }

    /// Returns an id that this key always gives to what its caller makes, and no other key or caller.
    package func id(for caller: String) -> UUID { UUID(hashing: [Array(caller.utf8), Array(text.utf8)]) }

    /// A key with the body of the first answer, which is stored together with what the call makes.
    package struct Answered: Sendable {
        package let key: IdempotencyKey
        package let body: String
    }

    package func answered(_ body: [UInt8]) -> Answered {
        Answered(key: self, body: String(decoding: body, as: UTF8.self))
    }

    /// The error that the same caller already used the key.
    package struct WasUsed: Error { package init() {} }

    package static let reused = Problem(
        .unprocessableContent, "idempotency_key_reused",
        "`Idempotency-Key` was used for another call. Use a new one.", field: "Idempotency-Key")
}
