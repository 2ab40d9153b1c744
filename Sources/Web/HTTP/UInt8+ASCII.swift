/// Classes of ASCII characters.
package extension UInt8 {
    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    var isASCIILetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }

    var isASCIIHexDigit: Bool { isASCIIDigit || (0x41...0x46).contains(self & 0xDF) }

    /// Whether the byte is neither white space nor a control character.
    var isVisibleASCII: Bool { (0x21...0x7E).contains(self) }
}
