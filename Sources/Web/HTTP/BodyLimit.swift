import HTTPTypes

/// How many bytes the body of a call may have. A larger one is refused with 413.
package enum BodyLimit {
    /// 64 KiB: a hundred uids of 128 characters with four bytes each take 52.
    package static let bytes = 64 * 1024
    /// 3 MiB, of what operators set: icons of apps take up to 1.4 each.
    package static let ofConfig = 3 << 20
}

extension Problem {
    static func bodyTooLarge(_ most: Int) -> Problem {
        let size = most < 1 << 20 ? "\(most >> 10) KiB" : "\(most >> 20) MiB"
        return Problem(.contentTooLarge, "body_too_large", "The body may have at most \(size).")
    }
}
