import Crypto
import Foundation

/// A strong ETag (RFC 9110 §8.8.3): a hash of the content.
package enum ETag {
    package static func of(_ content: some Sequence<UInt8>) -> String { "\"\(hash(content))\"" }

    /// Returns 16 characters, which are safe in a URL.
    package static func hash(_ content: some Sequence<UInt8>) -> String {
        SHA256.hash(data: Array(content)).withUnsafeBytes { Base64URL.encode($0.prefix(12)) }
    }
}
