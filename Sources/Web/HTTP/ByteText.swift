extension Collection<UInt8> {
    /// Calls `body` with the bytes in memory. A loop belongs in the body: the compiler does not specialize
    /// generic code for callers in other targets, and each step of an unspecialized loop is several calls.
    @inlinable
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withContiguousStorageIfAvailable(body) ?? Array(self).withUnsafeBufferPointer(body)
    }
}

/// A text that is its bytes, as the database compares it: in Swift, two encodings of é are equal.
package protocol ByteText: Hashable {
    var text: String { get }
}

extension ByteText {
    @inlinable
    package static func == (left: Self, right: Self) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    @inlinable
    package func hash(into hasher: inout Hasher) {
        text.utf8.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Whether both have the same bytes, unlike `==`, for which two encodings of é are equal.
    @inlinable
    package func hasSameBytes(as other: String) -> Bool {
        utf8.withBytes { left in
            other.utf8.withBytes { right in
                left.count == right.count && left.elementsEqual(right)
            }
        }
    }
}
