import Foundation
import HTTPTypes
package import Hummingbird
package import NIOCore

/// How bodies are read, and refused if they are too large or no plain JSON.
extension Request {
    /// Returns the body. Throws a 413 as soon as it is larger than allowed, and a 503 if too many large ones
    /// are on their way.
    package func body(ofAtMost mostBytes: Int, _ room: LargeBodies) async throws -> ByteBuffer {
        // If the stated length is too large, read nothing.
        if let length = headers[.contentLength].flatMap(Int.init), length > mostBytes {
            throw Problem.bodyTooLarge(mostBytes)
        }
        var (collected, isLarge) = (ByteBuffer(), false)
        defer { if isLarge { room.giveBack() } }
        for try await var part in body {
            guard collected.readableBytes + part.readableBytes <= mostBytes else {
                throw Problem.bodyTooLarge(mostBytes)
            }
            collected.writeBuffer(&part)
            if !isLarge, collected.readableBytes > room.from {
                guard room.take() else { throw Problem.tooManyBodies }
                isLarge = true
            }
        }
        return collected
    }

    /// Throws a 415 (RFC 9110 §15.5.16) unless the body is plain JSON. Kith does not decompress bodies: a few
    /// KB could fill the memory.
    func requirePlainJSON() throws(Problem) {
        let mediaType = try header(.contentType)?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        guard mediaType?.lowercased() == "application/json" else {
            throw Problem(
                .unsupportedMediaType, "unsupported_media_type", "The body must be application/json.")
        }
        let isPlain = headers[values: .contentEncoding].allSatisfy {
            ["", "identity"].contains($0.trimmingCharacters(in: .whitespaces).lowercased())
        }
        guard isPlain else {
            throw Problem(
                .unsupportedMediaType, "unsupported_media_type",
                "The body must be sent without a `Content-Encoding`.",
                field: "Content-Encoding", headers: [.acceptEncoding: "identity"])
        }
    }
}
