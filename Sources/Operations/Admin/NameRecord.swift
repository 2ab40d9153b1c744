import Foundation
import Kernel
import Web

/// What Kith stores about a username.
struct NameRecord: Encodable, Sendable {
    var state: State
    /// The user who has the name, or had it last.
    var owner: UserRecord.Brief?
    /// How long only its last owner can take it, or nobody.
    var heldUntil: Date?
    /// When this state began.
    var since: Date?

    enum State: String, Encodable, Sendable {
        case active, held, released, reserved
        /// Nobody ever had the name.
        case never
    }

    /// A time in which a user had the name.
    struct Period: Encodable, Equatable, Sendable {
        /// The spelling that they used last in this time.
        var username: String
        var from: Date
        /// When it ended. Nil if they have the name now.
        var to: Date?
        var severed: Bool
    }

    /// A user who had the name, and when.
    struct Tenure: Encodable, Sendable {
        var user: UserRecord.Brief
        var period: Period
    }
}

extension NameRecord {
    var text: String {
        let whose = owner.map { " \($0.text)" } ?? " nobody"
        let until = heldUntil.map { " until \(JSON.timestamp($0))" } ?? ""
        switch state {
        case .active: return "\(owner?.text ?? "somebody") has it"
        case .held: return "held for\(whose)\(until)"
        case .released: return "free"
        case .reserved: return "reserved after a deletion\(until)"
        case .never: return "nobody ever had it"
        }
    }
}

extension NameRecord.Period {
    var text: String {
        "from \(JSON.timestamp(from)) to \(to.map(JSON.timestamp) ?? "now")\(severed ? ", severed" : "")"
    }
}

extension Username.Key {
    /// Reads a name as operators paste it, perhaps with the `@` that people write before names, and that no
    /// name has. Throws a 400 if it is none.
    static func pasted(_ text: String?) throws(Problem) -> Username.Key {
        guard let text, let key = Username.Key(text.hasPrefix("@") ? text.dropFirst() : text[...]) else {
            throw .invalid("username", "must be a name of 1 to 64 characters")
        }
        return key
    }
}
