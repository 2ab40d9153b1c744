import Foundation
import HTTPTypes
package import Hummingbird
import Web

/// Counts the calls of an authenticated user, key or person, and tells them what is left.
package struct CallerLimitMiddleware: RouterMiddleware {
    /// Nil if nothing is limited.
    package let limiter: RateLimiter?

    package init(limiter: RateLimiter?) {
        self.limiter = limiter
    }

    package func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        guard let caller = context.caller else { return try await next(request, context) }
        let user = caller.user.map(User.ID.init(of:))
        context.userID = user
        let headers = try spend(caller, user, request, context)
        // The address of a backend or an operator says nothing about users.
        if caller.isOperatorOrBackend { context.address = nil }
        do {
            var response = try await next(request, context)
            response.headers.append(contentsOf: headers)
            return response
        } catch let error as any ProblemError {
            var problem = error.problem
            // A refusal by another limit has that limit's headers.
            if problem.headers[.rateLimit] == nil { problem.headers.append(contentsOf: headers) }
            throw problem
        }
    }

    /// Counts the call. Returns the headers of the limit that the caller is closest to.
    private func spend(
        _ caller: Caller, _ user: User.ID?, _ request: Request, _ context: AppContext
    ) throws(Problem) -> HTTPFields {
        let limit = context.route?.limit ?? .calls
        switch caller {
        case .user:
            return try spend(limit, user.map(\.subject))
        case .key(.client, _, _):
            guard let address = context.address else { return try spend(.keys, key(request)) }
            let headers = try spend(.client, address.subject)
            guard let own = context.route?.clientLimit else { return headers }
            return try spend(own, address.subject)
        case .person(let session):
            return try spend(
                .keys,
                withUnsafeBytes(of: session.person.uuid) { RateLimitKey.Subject(bytes: $0) })
        case .key:
            let headers = try spend(.keys, key(request))
            guard limit.isShared, let user else { return headers }
            return try spend(limit, user.subject)
        }
    }

    private func spend(_ limit: RateLimit, _ subject: RateLimitKey.Subject?) throws(Problem) -> HTTPFields {
        guard let limiter, let subject, let verdict = try limiter.require(limit, subject) else { return [:] }
        return limiter.headers(limit, verdict)
    }

    /// Returns the subject of a key: its id, which has 12 characters and is not secret.
    private func key(_ request: Request) -> RateLimitKey.Subject? {
        let bearer = request.headers[.authorization]?.dropFirst("Bearer ".count).drop { $0 == " " } ?? ""
        return APIKey(String(bearer)).map { RateLimitKey.Subject(bytes: $0.id.utf8) }
    }
}

extension Caller {
    fileprivate var isOperatorOrBackend: Bool {
        switch self {
        case .user, .key(.client, _, _): false
        case .key, .person: true
        }
    }
}

extension User.ID {
    fileprivate var subject: RateLimitKey.Subject {
        withUnsafeBytes(of: uuid.uuid) { RateLimitKey.Subject(bytes: $0) }
    }
}

extension RateLimitKey.Subject {
    /// Makes a subject of the first 16 bytes.
    package init(bytes: some Sequence<UInt8>) {
        var (high, low) = (UInt64(0), UInt64(0))
        for byte in bytes.prefix(16) {
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(byte)
        }
        self.init(high: high, low: low)
    }
}
