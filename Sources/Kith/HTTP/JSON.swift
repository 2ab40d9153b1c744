import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOFoundationCompat

/// The one form of JSON on the wire: camelCase, sorted keys, RFC 3339 times in UTC.
enum JSON {
    /// 1 MiB; a larger body is refused with 413.
    static let maxBody = 1 << 20

    static func response(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(timestamp(date))
        }
        let data = try encoder.encode(value)
        return Response(
            status: status,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(data: data)))
    }

    static func timestamp(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

/// The body of a request, with the fields it may have.
protocol RequestBody: Decodable {
    /// Paths like `invite.url`.
    static var fields: Set<String> { get }
}

extension Request {
    /// Decodes the JSON body. Anything else than one object with known fields of the right types, each
    /// once, is a 400 that names the field.
    func body<Body: RequestBody>(as type: Body.Type = Body.self) async throws -> Body {
        let mediaType = headers[.contentType]?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        guard mediaType?.lowercased() == "application/json" else {
            throw Problem(
                .unsupportedMediaType, "unsupported_media_type", "The body must be application/json.")
        }
        let buffer = try await bodyBuffer()
        let fields = try JSONScan.fields(of: buffer.readableBytesView)
        if let unknown = fields.subtracting(Body.fields).min() {
            throw Problem.malformed("There is no such field here.", field: unknown)
        }
        do {
            return try JSONDecoder().decode(Body.self, from: buffer)
        } catch let error as DecodingError {
            throw Problem(error)
        }
    }

    private func bodyBuffer() async throws -> ByteBuffer {
        do {
            return try await body.collect(upTo: JSON.maxBody)
        } catch is NIOTooManyBytesError {
            throw Problem(.contentTooLarge, "body_too_large", "The body may have at most 1 MiB.")
        }
    }
}

extension KeyedDecodingContainer {
    /// As `decodeIfPresent`, which does not say which field held a number that is no `Int`.
    func integerIfPresent(forKey key: Key) throws -> Int? {
        do {
            return try decodeIfPresent(Int.self, forKey: key)
        } catch let error as DecodingError {
            throw error
        } catch {
            throw DecodingError.typeMismatch(
                Int.self, .init(codingPath: codingPath + [key], debugDescription: "no Int"))
        }
    }
}

extension Problem {
    fileprivate init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self = .malformed("It is required.", field: Self.path(context.codingPath + [key]))
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            self = .malformed("It has the wrong type.", field: Self.path(context.codingPath))
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            self = .malformed("Its value is not one of those allowed.", field: Self.path(context.codingPath))
        default:
            self = .malformed("The body is not valid JSON.")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String? {
        // An element of an array goes by the array's own name.
        let names = keys.filter { $0.intValue == nil }.map(\.stringValue)
        return names.isEmpty ? nil : names.joined(separator: ".")
    }
}
