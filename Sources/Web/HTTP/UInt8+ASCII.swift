/// Classes of ASCII characters. They are inlinable, since they are asked of each byte.
extension UInt8 {
    @inlinable package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    @inlinable package var isASCIILetter: Bool {
        (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }

    @inlinable package var isASCIIHexDigit: Bool { isASCIIDigit || (0x41...0x46).contains(self & 0xDF) }

    /// Whether the byte is neither white space nor a control character.
    @inlinable package var isVisibleASCII: Bool { (0x21...0x7E).contains(self) }
}
