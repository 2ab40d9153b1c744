/// Why `kith check-links` cannot be run as it was called.
package struct LinkCheckError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
