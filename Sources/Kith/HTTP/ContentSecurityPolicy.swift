import Crypto
import Foundation

/// The policy of the pages: no scripts, no external resources, and only the given style blocks.
enum ContentSecurityPolicy {
    /// The value of the header; `styles` are the contents of the `<style>` elements, byte for byte.
    static func header(styles: [String]) -> String {
        let sources = Set(styles.map(source)).sorted().joined(separator: " ")
        return """
            default-src 'none'; style-src \(sources.isEmpty ? "'none'" : sources); img-src 'self' data:; \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
    }

    private static func source(of style: String) -> String {
        let digest = Data(SHA256.hash(data: Data(style.utf8)))
        return "'sha256-\(digest.base64EncodedString())'"
    }
}
