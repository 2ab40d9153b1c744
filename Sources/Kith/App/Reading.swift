import Foundation
import Logging

/// How the text of a setting is read, and in words what may stand there.
struct Reading<Value> {
    let allowed: String
    let read: (String) -> Value?

    init(_ allowed: String, _ read: @escaping (String) -> Value?) {
        self.allowed = allowed
        self.read = read
    }
}

extension Reading {
    /// For what is not set by default.
    var optional: Reading<Value?> { Reading<Value?>(allowed) { text in read(text).map(Optional.some) } }
}

extension Reading<Int> {
    static func number(_ range: ClosedRange<Int>) -> Reading {
        Reading("a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    static var positive: Reading { number(1...1_000_000) }
    static var counting: Reading { number(0...1_000_000) }
}

extension Reading<String> {
    static var any: Reading { Reading("any text") { $0 } }
}

extension Reading<HostPort> {
    static var address: Reading { Reading("host:port, as in 127.0.0.1:8080 or [::1]:8080", HostPort.init) }
}

extension Reading<Logger.Level> {
    static var level: Reading {
        Reading("one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: " "))") {
            Logger.Level(rawValue: $0)
        }
    }
}

extension Reading<[String]> {
    /// Words with commas between.
    static var words: Reading {
        Reading("words with commas between, with * at the end of a word only, as in root,acme*") { text in
            let words = text.lowercased().split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            return words.allSatisfy { $0.wholeMatch(of: /[^*\s]+\*?/) != nil } ? words : nil
        }
    }
}

extension Reading<[Int]> {
    /// Numbers with commas between.
    static var days: Reading {
        Reading("whole numbers of days with commas between, as in 7,30") { text in
            let days = text.split(separator: ",", omittingEmptySubsequences: false).map {
                Reading<Int>.counting.read($0.trimmingCharacters(in: .whitespaces))
            }
            return days.contains(nil) ? nil : days.compactMap(\.self)
        }
    }
}
