/// An object of objects of whole numbers, as sums have. It is read and written without a decoder and an
/// encoder, since each counted visit and each number of a year needs some.
extension JSON {
    /// Returns the numbers by both names. An object that is null has none. Nil for any other text.
    package static func numbers(_ text: String) -> [String: [String: Int64]]? {
        var text = text
        return text.withUTF8 { bytes in
            var tokens = JSONTokenizer(bytes, .document)
            return try? numbers(&tokens)
        }
    }

    private static func numbers(
        _ tokens: inout JSONTokenizer<UnsafeBufferPointer<UInt8>>
    ) throws(JSONFault) -> [String: [String: Int64]]? {
        guard case .object = try tokens.next() else { return nil }
        var all: [String: [String: Int64]] = [:]
        while case .name(let outer) = try tokens.next() {
            var counts: [String: Int64] = [:]
            switch try tokens.next() {
            case .null: continue
            case .object: break
            default: return nil
            }
            while case .name(let name) = try tokens.next() {
                guard case .number(let digits) = try tokens.next(), let number = Int64(digits) else {
                    return nil
                }
                // Names that look alike may be written with other scalars.
                let (sum, isTooLarge) = counts[name, default: 0].addingReportingOverflow(number)
                guard !isTooLarge else { return nil }
                counts[name] = sum
            }
            all[outer] = counts
        }
        guard case .end = try tokens.next() else { return nil }
        return all
    }

    package static func text(numbers: some Sequence<(String, [String: Int64])>) -> String {
        var json = JSONText(capacity: 256)
        for (place, (outer, counts)) in numbers.enumerated() {
            json.raw(place == 0 ? "{\"" : ",\"")
            json.escaped(outer)
            json.raw("\":{")
            for (place, (name, number)) in counts.enumerated() {
                json.raw(place == 0 ? "\"" : ",\"")
                json.escaped(name)
                json.raw("\":")
                json.escaped(String(number))
            }
            json.raw("}")
        }
        json.raw(json.bytes.isEmpty ? "{}" : "}")
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
