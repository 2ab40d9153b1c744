import Kernel
import Web

extension Invite {
    /// A code of 80 bits from the system's generator, in Crockford's base 32.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package static let length = 16

        package let text: String

        /// Reads a code as a person may type it: in upper or lower case, with o for 0, and i or l for 1.
        package init?(_ typed: some StringProtocol) {
            guard typed.utf8.count == Self.length else { return nil }
            let bytes = typed.utf8.withBytes { $0.map(Self.digit) }
            let text = String(decoding: bytes, as: UTF8.self)
            guard Base32.holds(text) else { return nil }
            self.text = text
        }

        /// Reads the code in a part of a link, without what is stuck to it.
        package init?(inLink encoded: some StringProtocol) {
            if let code = Code(encoded) {
                self = code
                return
            }
            let text = StuckText.visible(StuckText.decoded(encoded.utf8))
            self.init(StuckText.beginning(of: text, Self.typed))
        }

        /// Returns the character that is meant.
        private static func digit(_ typed: UInt8) -> UInt8 {
            let byte = (0x41...0x5A).contains(typed) ? typed | 0x20 : typed
            return switch byte {
            case UInt8(ascii: "o"): UInt8(ascii: "0")
            case UInt8(ascii: "i"), UInt8(ascii: "l"): UInt8(ascii: "1")
            default: byte
            }
        }

        /// The characters that people may type.
        private static let typed: ASCIISet = "0123456789abcdefghijklmnopqrstvwxyzABCDEFGHIJKLMNOPQRSTVWXYZ"

        /// Makes a code of random bytes. Each byte gives one character.
        package init(random bytes: [UInt8]) {
            text = Base32.text(of: bytes.prefix(Self.length))
        }

        /// Takes a code that was validated before it was stored.
        package init(stored text: String) {
            self.text = text
        }

        package var description: String { text }
    }
}
