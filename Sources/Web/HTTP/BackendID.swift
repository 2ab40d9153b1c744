/// Ids that backends give to things, so that a repeated call does nothing more.
package enum BackendID {
    package static let form = "must be 1 to 128 visible ASCII characters"

    package static func isOne(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy(\.isVisibleASCII)
    }
}
