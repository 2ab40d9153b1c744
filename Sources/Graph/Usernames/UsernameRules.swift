package import Kernel
import Web

/// Which usernames users may choose: their characters, their length, and words that are nobody's.
package struct UsernameRules: Sendable {
    /// `KITH_USERNAME_MIN_LENGTH`, `KITH_USERNAME_MAX_LENGTH`; 3 and 30. The lengths of new usernames.
    package var length = 3...30
    /// `KITH_USERNAME_RESERVED`: reserved words, separated by commas, in addition to the built-in ones. A `*`
    /// at the end reserves all names with that prefix.
    package var reserved: [String] = []

    package init() {}

    /// The built-in reserved words: routes, roles and words that would let a user pose as the app itself.
    static let builtInReserved: Set<String> = [
        "about", "abuse", "account", "accounts", "admin", "administrator", "all", "anonymous", "api", "app",
        "apps", "assets", "auth", "billing", "blog", "bot", "contact", "copyright", "deleted", "developer",
        "developers", "dev", "download", "everyone", "favicon", "feedback", "friend", "friends", "help",
        "home",
        "host", "info", "invite", "invitedby", "invites", "jobs", "kith", "legal", "link", "links", "livez",
        "login", "logout", "mail", "me", "metrics", "mod", "moderator", "news", "nobody", "noreply",
        "notfound",
        "null", "official", "owner", "password", "postmaster", "press", "privacy", "profile", "readyz",
        "register", "robots", "root", "sales", "search", "security", "server", "service", "settings",
        "signin",
        "signup", "staff", "static", "status", "store", "superuser", "support", "sysadmin", "system", "team",
        "terms", "test", "undefined", "user", "username", "users", "webmaster", "welcome", "well_known",
        "www",
    ]
    private static let builtInPrefixes = ["admin_", "kith_", "official_", "support_", "staff_"]

    /// Returns the username if the rules allow the text.
    package func username(_ text: String) throws(UsernameError) -> Username {
        if let reason = refusal(of: text) { throw .invalid(reason) }
        return Username(text: text, key: Username.Key(of: text))
    }

    private func refusal(of text: String) -> UsernameError.Reason? {
        guard text.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }) else {
            return .characters
        }
        guard text.utf8.count >= length.lowerBound else { return .tooShort }
        guard text.utf8.count <= length.upperBound else { return .tooLong }
        guard let first = text.first, first.isLetter else { return .firstCharacter }
        guard !text.contains("__") else { return .doubleUnderscore }
        return isReserved(Username.Key(of: text).text) ? .reserved : nil
    }

    private func isReserved(_ key: String) -> Bool {
        Self.builtInReserved.contains(key) || Self.builtInPrefixes.contains(where: key.hasPrefix)
            || reserved.contains { $0.hasSuffix("*") ? key.hasPrefix($0.dropLast()) : key == $0 }
    }

    /// All reserved words, to check many names at once.
    package var reservedWords: [String] { Self.builtInReserved + reserved.filter { !$0.hasSuffix("*") } }

    /// All reserved prefixes.
    package var reservedPrefixes: [String] {
        Self.builtInPrefixes + reserved.filter { $0.hasSuffix("*") }.map { String($0.dropLast()) }
    }
}
