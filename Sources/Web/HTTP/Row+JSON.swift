import Foundation
package import Postgres

/// A column with JSON, which the statement reads as text.
extension Row {
    package mutating func json<Value: Decodable>(as _: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(next(as: String.self).utf8))
    }
}
