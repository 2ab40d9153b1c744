import Foundation
import HTTPTypes
import Hummingbird

/// Which bodies are refused unread.
extension Request {
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
