import HTTPTypes

/// How many bytes the body of a call may have.
package enum BodyLimit {
    /// 64 KiB: a hundred uids of 128 characters with four bytes each take 52. A larger body is refused with
    /// 413.
    package static let bytes = 64 * 1024
}

extension Problem {
    static let bodyTooLarge = Problem(.contentTooLarge, "body_too_large", "The body may have at most 64 KiB.")
}
