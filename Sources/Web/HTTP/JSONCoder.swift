import Foundation
import HTTPTypes
package import Hummingbird
import NIOCore
import NIOFoundationCompat

/// Encodes handlers' return values and decodes request bodies, in the form of `JSON`.
package struct JSONCoder: ResponseEncoder, RequestDecoder {
    private let mostBytes: Int
    private let room: LargeBodies

    package init(_ limit: BodyLimit = .usual) { self.init(limit, room: limit.room) }

    init(_ limit: BodyLimit = .usual, room: LargeBodies) {
        (mostBytes, self.room) = (limit.bytes, room)
    }

    package func encode(_ value: some Encodable, from request: Request, context: some RequestContext) throws
        -> Response
    {
        JSON.response(try JSON.data(value))
    }

    /// Decodes a body. Throws a 400 that names the field unless the body is one object with the fields of a
    /// `JSONBody`, each at most once and of the right type.
    package func decode<Body: Decodable>(
        _ type: Body.Type, from request: Request, context: some RequestContext
    ) async throws -> Body {
        try request.requirePlainJSON()
        let buffer = try await request.body(ofAtMost: mostBytes, room)
        var fraction: String?
        do {
            let fields = (type as? any JSONBody.Type)?.fields ?? []
            fraction = try JSONScan.check(buffer.readableBytesView, fields: fields).fraction
            return try JSONDecoder().decode(Body.self, from: buffer)
        } catch let error as JSONScanError {
            throw Problem(error.reason, field: error.field)
        } catch let error as DecodingError {
            // For a number that is not a whole one, the decoder does not say where it is.
            if case .dataCorrupted(let context) = error, context.codingPath.isEmpty, let fraction {
                throw Problem.invalid(fraction, "must be a whole number")
            }
            throw Problem(error)
        }
    }

    /// Returns the bytes of a body that is one object, with any fields, each at most once. Throws a 400 for
    /// any other.
    package func object(in request: Request, _ bounds: JSONBounds = .anyFields) async throws -> [UInt8] {
        try request.requirePlainJSON()
        let buffer = try await request.body(ofAtMost: mostBytes, room)
        do {
            try JSONScan.check(buffer.readableBytesView, bounds)
        } catch {
            throw Problem(error.reason, field: error.field.map { String($0.prefix(128)) })
        }
        return Array(buffer.readableBytesView)
    }

    /// Returns a body that is one object with any fields, each at most once. Throws a 400 for any other.
    package func tree(in request: Request) async throws -> JSONTree {
        try await JSONTree(object(in: request, .items), .items)
    }

    /// Throws a 400 that names the first field of a body, for a call that has no fields. An empty body or
    /// object is allowed.
    package func requireNoFields(in request: Request) async throws {
        let buffer = try await request.body(ofAtMost: mostBytes, room)
        guard buffer.readableBytes > 0 else { return }
        try request.requirePlainJSON()
        do {
            try JSONScan.check(buffer.readableBytesView, fields: [])
        } catch {
            throw Problem(error.reason, field: error.field)
        }
    }
}

/// A context whose responses and bodies are coded by `JSONCoder`.
package protocol JSONContext: RequestContext where Encoder == JSONCoder, Decoder == JSONCoder {
    /// Of the route that is called.
    var bodyLimit: BodyLimit { get set }
}

package extension JSONContext {
    var responseEncoder: JSONCoder { JSONCoder() }
    var requestDecoder: JSONCoder { JSONCoder(bodyLimit) }
}

/// The body of a request, with the fields it may have.
package protocol JSONBody: Decodable {
    associatedtype CodingKeys: CodingKey, CaseIterable
    /// The paths of the fields, like `invite.url`.
    static var fields: Set<String> { get }
}

extension JSONBody {
    package static var fields: Set<String> { Set(CodingKeys.allCases.map(\.stringValue)) }
}

/// The members of a PATCH. Nil means absent or null, so the value stays as it is: many encoders write every
/// member, absent ones as null. `.some(nil)` means an empty text, an empty object or 0, so the value is
/// removed.
package extension KeyedDecodingContainer {
    func textChange(forKey key: Key) throws -> String?? {
        try decodeIfPresent(String.self, forKey: key).map { $0.isEmpty ? nil : $0 }
    }

    func numberChange(forKey key: Key) throws -> Int?? {
        try decodeIfPresent(Int.self, forKey: key).map { $0 == 0 ? nil : $0 }
    }
}

/// A word in a body that stands for a case. The error for an unknown word lists all known ones. Swift's own
/// decoding of structs uses these methods too.
extension KeyedDecodingContainer {
    package func decodeIfPresent<Choice: Decodable & CaseIterable & RawRepresentable<String>>(
        _: Choice.Type, forKey key: Key
    ) throws -> Choice? {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: codingPath + [key], debugDescription: "unknown",
                    underlyingError: UnknownChoiceError(known: Choice.allCases.map(\.rawValue))))
        }
        return choice
    }
}

private struct UnknownChoiceError: Error {
    let known: [String]

    /// A text such as `must be a, b or c`.
    var reason: String {
        let most = known.dropLast().joined(separator: ", ")
        return "must be \(most.isEmpty ? "" : "\(most) or ")\(known.last ?? "")"
    }
}

extension Problem {
    fileprivate init(_ error: DecodingError) {
        let (reason, path): (String, [any CodingKey]) =
            switch error {
            case .keyNotFound(let key, let context): ("is required", context.codingPath + [key])
            case .typeMismatch(_, let context), .valueNotFound(_, let context):
                ("has the wrong type", context.codingPath)
            case .dataCorrupted(let context) where !context.codingPath.isEmpty:
                (
                    (context.underlyingError as? UnknownChoiceError)?.reason
                        ?? "is not one of the allowed values", context.codingPath
                )
            default: ("is not valid JSON", [])
            }
        // An element of an array is named by its array.
        let names = path.filter { $0.intValue == nil }.map(\.stringValue)
        self.init(reason, field: names.isEmpty ? nil : names.joined(separator: "."))
    }

    fileprivate init(_ reason: String, field: String?) {
        self = field.map { .invalid($0, reason) } ?? .malformedBody(reason)
    }
}
