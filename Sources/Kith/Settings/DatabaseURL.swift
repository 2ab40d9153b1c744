import Foundation
package import Postgres

extension DatabaseConfig {
    /// Creates the driver, which connects to nothing yet. Throws a `ConfigError` that shows no part of the
    /// URL.
    package func open(
        _ configuration: Database.Configuration,
        onEvent: @escaping @Sendable (Database.Event) -> Void = { _ in }
    ) throws -> Database {
        do {
            return try Database(configuration, onEvent: onEvent)
        } catch PostgresError.unavailable(let reason) {
            let names =
                configuration.standbys == nil ? "KITH_DATABASE_URL" : "KITH_DATABASE_URL or KITH_READ_URL"
            throw ConfigError(mistakes: [
                "cannot open the database of \(names): \(DatabaseURL.withoutQuotes(reason))"
            ])
        }
    }
}

/// Validates the URL of the database before libpq reads it. libpq's errors quote a part of an invalid URL,
/// which may be a password that contains `@` or `/`.
enum DatabaseURL {
    /// The form that a URL must have. It shows nothing of the given one.
    static let allowed =
        "it must be as in postgresql://user:password@host:5432/database?sslmode=verify-full, "
        + "with @ / : ? # % in a password written as %40 %2F %3A %3F %23 %25"

    private struct Parts {
        var scheme: Substring
        var user: Substring?
        var hosts: Substring
        var database: Substring
        var query: [Substring]
    }

    static func isAllowed(_ text: String) -> Bool {
        isKeywords(text) || parts(of: text) != nil
    }

    /// Parameters that libpq checks only when it connects, and their allowed values.
    private static let values = [
        "sslmode": ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"],
        "target_session_attrs": ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"],
    ]

    /// Returns the error in a URL's values, without showing them. Nil if there is none.
    static func wrongValue(in text: String) -> String? {
        for item in parts(of: text)?.query ?? [] {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.removingPercentEncoding ?? "" }
            guard let allowed = values[pair[0]], !allowed.contains(pair[1]) else { continue }
            return "\(pair[0]) must be one of \(allowed.joined(separator: " "))"
        }
        return nil
    }

    /// Returns the URL without its passwords. Any other text is hidden completely.
    static func masked(_ text: String) -> String {
        guard let parts = parts(of: text) else { return "***" }
        let query = parts.query.map { item in
            let name = item.prefix { $0 != "=" }
            let plain = String(name).removingPercentEncoding ?? ""
            return plain.hasSuffix("password") || plain.hasSuffix("secret") ? "\(name)=***" : String(item)
        }
        let user = parts.user.map { user in
            let name = user.prefix { $0 != ":" }
            return name.count < user.count ? "\(name):***@" : "\(name)@"
        }
        return "\(parts.scheme)://\(user ?? "")\(parts.hosts)\(parts.database)"
            + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// Returns libpq's error without the part of the URL that it quotes.
    static func withoutQuotes(_ reason: String) -> String {
        reason.replacing(/"(?s:.*)"/, with: "\"***\"").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Whether it has libpq's other form, as in `host=db user=kith`.
    private static func isKeywords(_ text: String) -> Bool {
        text.prefixMatch(of: /\s*[a-z_]+\s*=/) != nil
    }

    /// Splits the URL as libpq does. Nil if libpq would split it elsewhere than its author meant.
    private static func parts(of text: String) -> Parts? {
        let pattern =
            /(postgres(?:ql)?):\/\/(?:([^:@\/?]*(?::[^@\/]*)?)@)?([^\/?@]*)(?:(\/[^?@]*)(?:\?(.*))?|\?([^@]*))?/
        guard let match = text.wholeMatch(of: pattern), isEncoded(text),
            match.3.split(separator: ",", omittingEmptySubsequences: false).allSatisfy(isHost)
        else { return nil }
        let query = (match.5 ?? match.6).map { $0.split(separator: "&") } ?? []
        guard query.allSatisfy({ $0.contains("=") }) else { return nil }
        return Parts(
            scheme: match.1, user: match.2, hosts: match.3, database: match.4 ?? "", query: query)
    }

    private static func isHost(_ text: Substring) -> Bool {
        guard let match = text.wholeMatch(of: /(?:\[[0-9A-Za-z:.%]+\]|[^:\[\]]*)(?::([0-9]*))?/) else {
            return false
        }
        guard let port = match.1, !port.isEmpty else { return true }
        return Int(port).map { (1...65_535).contains($0) } ?? false
    }

    /// Whether each `%` begins an encoded byte.
    private static func isEncoded(_ text: String) -> Bool {
        text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().allSatisfy { part in
            part.prefixMatch(of: /[0-9A-Fa-f]{2}/) != nil && !part.hasPrefix("00")
        }
    }
}
