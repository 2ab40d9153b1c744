import HTTPTypes
package import Hummingbird
package import NIOCore

/// How large the body of a call may be. A larger one is refused with 413.
package enum BodyLimit: Sendable {
    /// 64 KiB: a hundred uids of 128 characters with four bytes each take 52.
    case usual
    /// 3 MiB, of what operators set: icons of apps take up to 1.4 each.
    case config
    /// 4 MiB, of a form of the console: a file of 20,000 codes, each with its URL.
    case form

    package var bytes: Int {
        switch self {
        case .usual: 64 * 1024
        case .config: 3 << 20
        case .form: 4 << 20
        }
    }

    var room: LargeBodies { self == .usual ? .all : .ofOperators }
}

extension Request {
    /// Returns the body. Throws a 413 as soon as it is larger than allowed, and a 503 if too many large ones
    /// are on their way.
    package func body(_ limit: BodyLimit) async throws -> ByteBuffer {
        try await body(ofAtMost: limit.bytes, limit.room)
    }

    func body(ofAtMost mostBytes: Int, _ room: LargeBodies) async throws -> ByteBuffer {
        // If the stated length is too large, read nothing.
        if let length = headers[.contentLength].flatMap(Int.init), length > mostBytes {
            throw Problem.bodyTooLarge(mostBytes)
        }
        var (collected, isLarge) = (ByteBuffer(), false)
        defer { if isLarge { room.giveBack() } }
        for try await var part in body {
            guard collected.readableBytes + part.readableBytes <= mostBytes else {
                throw Problem.bodyTooLarge(mostBytes)
            }
            collected.writeBuffer(&part)
            if !isLarge, collected.readableBytes > room.from {
                guard room.take() else { throw Problem.tooManyBodies }
                isLarge = true
            }
        }
        return collected
    }
}

extension Problem {
    fileprivate static func bodyTooLarge(_ most: Int) -> Problem {
        let size = most < 1 << 20 ? "\(most >> 10) KiB" : "\(most >> 20) MiB"
        return Problem(.contentTooLarge, "body_too_large", "The body may have at most \(size).")
    }
}
