import Foundation

/// Where the next page of a list begins: opaque to clients, versioned, and no row need be there any more.
struct Cursor: Equatable {
    var at: Date
    var key: String

    /// Microseconds: what PostgreSQL takes as a time and a sane clock may have given, years 1 to 9999.
    private static let times: Range<Int64> = -62_135_596_800_000_000..<253_402_300_800_000_000

    /// The `after` of a request; nothing else than what `text(list:)` gave for the same list is taken.
    init?(_ text: String?, list: String) throws(Problem) {
        guard let text else { return nil }
        guard let bytes = Base64URL.decode(Array(text.utf8)[...]),
            let plain = String(validating: bytes, as: UTF8.self),
            case let parts = plain.split(separator: "|", maxSplits: 3, omittingEmptySubsequences: false),
            parts.count == 4, parts[0] == "1", parts[1] == list, let micros = Int64(parts[2]),
            Self.times.contains(micros), !parts[3].utf8.contains(0)
        else { throw .malformed("It is not a cursor that this list gave.", field: "after") }
        at = Date(microsecondsSince1970: micros)
        key = String(parts[3])
    }

    init(at: Date, key: String) {
        self.at = at
        self.key = key
    }

    func text(list: String) -> String {
        Data("1|\(list)|\(at.microsecondsSince1970)|\(key)".utf8).base64URL
    }
}

extension Date {
    init(microsecondsSince1970 micros: Int64) {
        self.init(timeIntervalSince1970: Double(micros) / 1_000_000)
    }

    var microsecondsSince1970: Int64 { Int64((timeIntervalSince1970 * 1_000_000).rounded()) }
}
