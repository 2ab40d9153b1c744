import Crypto
import Foundation

/// The policy of the pages: only the given style and script blocks, and pictures only from the given hosts.
enum ContentSecurityPolicy {
    /// Returns the value of the header.
    /// - Parameters:
    ///   - styles: the contents of the `<style>` elements, byte for byte.
    ///   - scripts: the contents of the `<script>` elements, byte for byte.
    ///   - submits: whether pages have forms, which lead to this server.
    ///   - pictures: origins, as in `https://cdn.example.com`.
    static func header(
        styles: [String], scripts: [String] = [], submits: Bool = false, pictures: [String] = []
    ) -> String {
        """
        default-src 'none'; style-src \(sources(of: styles)); script-src \(sources(of: scripts)); img-src \((["'self'", "data:"] + pictures).joined(separator: " ")); \
        base-uri 'none'; form-action \(submits ? "'self'" : "'none'"); frame-ancestors 'none'
        """
    }

    private static func sources(of blocks: [String]) -> String {
        blocks.isEmpty ? "'none'" : Set(blocks.map(source)).sorted().joined(separator: " ")
    }

    private static func source(of block: String) -> String {
        let digest = Data(SHA256.hash(data: Data(block.utf8)))
        return "'sha256-\(digest.base64EncodedString())'"
    }
}
