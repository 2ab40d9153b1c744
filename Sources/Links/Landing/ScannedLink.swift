import Web

/// What a QR code adds to its link, so that numbers tell who scanned from who tapped. It goes on to no
/// target, store or app, and makes no other link.
enum ScannedLink {
    /// The name of the parameter.
    static let mark = "qr"
    private static let pair = "\(mark)=1"

    /// Returns a link as its QR code has it. Small letters: in capitals `?` and `=` take as many modules.
    static func marked(_ link: String) -> String { link.adding(pairs: pair) }
}

extension Query {
    /// Whether the link was scanned from a QR code.
    var isScanned: Bool { (try? encoded(ScannedLink.mark))??.elementsEqual("1".utf8) == true }

    /// The query without what a QR code adds.
    var unmarked: String? { isScanned ? dropping([ScannedLink.mark]) : raw }
}
