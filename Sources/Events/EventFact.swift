import Kernel

/// A fact of an event, with its type in JSON.
package enum EventFact: Hashable, Sendable {
    case text(String)
    case number(Int)
    case flag(Bool)

    /// The fact as a text. Nil if it is not a text.
    package var text: String? { if case .text(let text) = self { text } else { nil } }
}

extension EventFact: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    package init(stringLiteral text: String) { self = .text(text) }
    package init(integerLiteral number: Int) { self = .number(number) }
    package init(booleanLiteral flag: Bool) { self = .flag(flag) }
}

extension EventFact: Codable {
    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? value.decode(Int.self) {
            self = .number(number)
        } else {
            self = .text(try value.decode(String.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .text(let text): try value.encode(text)
        case .number(let number): try value.encode(number)
        case .flag(let flag): try value.encode(flag)
        }
    }
}
