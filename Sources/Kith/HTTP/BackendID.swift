/// What backends call things by, so that a call that comes again does nothing more.
enum BackendID {
    static let form = "must be 1 to 128 visible ASCII characters"

    static func isOne(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy(\.isVisibleASCII)
    }
}
