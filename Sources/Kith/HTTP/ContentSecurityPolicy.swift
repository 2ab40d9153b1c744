import Crypto
import Foundation

/// The policy of the pages: no scripts, only the given style blocks, and pictures from nowhere else but the given hosts.
enum ContentSecurityPolicy {
    /// The value of the header.
    /// - Parameters:
    ///   - styles: the contents of the `<style>` elements, byte for byte.
    ///   - pictures: origins, as in `https://cdn.example.com`.
    static func header(styles: [String], pictures: [String] = []) -> String {
        let sources = Set(styles.map(source)).sorted().joined(separator: " ")
        return """
            default-src 'none'; style-src \(sources.isEmpty ? "'none'" : sources); img-src \((["'self'", "data:"] + pictures).joined(separator: " ")); \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
    }

    private static func source(of style: String) -> String {
        let digest = Data(SHA256.hash(data: Data(style.utf8)))
        return "'sha256-\(digest.base64EncodedString())'"
    }
}
