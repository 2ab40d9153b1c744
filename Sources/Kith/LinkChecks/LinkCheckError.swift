/// Why `kith check-links` cannot be run as it was called.
public struct LinkCheckError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
