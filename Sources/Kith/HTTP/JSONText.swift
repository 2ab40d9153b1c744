import Foundation

/// JSON written as it comes, for the lists that are asked for most: `JSONEncoder` takes longer over a
/// page of friends than PostgreSQL over finding it. The same bytes as `JSON.response` makes.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// What stands between values: braces, brackets, keys with their quotes, colons and commas.
    mutating func raw(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x00..<0x20: escape(byte)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ control: UInt8) {
        switch control {
        case 0x08: raw("\\b")
        case 0x09: raw("\\t")
        case 0x0A: raw("\\n")
        case 0x0C: raw("\\f")
        case 0x0D: raw("\\r")
        default:
            raw("\\u00")
            bytes += [UInt8(ascii: "0") + control >> 4, Array("0123456789abcdef".utf8)[Int(control & 15)]]
        }
    }

    mutating func time(_ date: Date) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: JSON.timestamp(date).utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func array<Element>(_ elements: [Element], _ write: (inout JSONText, Element) -> Void) {
        bytes.append(UInt8(ascii: "["))
        for (place, element) in elements.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            write(&self, element)
        }
        bytes.append(UInt8(ascii: "]"))
    }
}
