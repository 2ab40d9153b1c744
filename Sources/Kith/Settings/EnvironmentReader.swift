import Configuration
import Console
import Counts
import Events
import Foundation
import Graph
import Kernel
import Links
import Logging
import Pictures
import Postgres
import Web
import Webhooks

/// Reads settings from the environment, remembers them for `serve --check`, and collects all errors, so that
/// an operator sees them at once.
final class EnvironmentReader {
    private let reader: ConfigReader
    /// Names and values, with secrets masked, in the order in which they were read.
    private(set) var shown: [(name: String, value: String)] = []
    private(set) var mistakes: [String] = []

    init(environment: [String: String]) {
        reader = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: environment))
    }

    /// Returns the value of `NAME`, or the content of the file that `NAME_FILE` names, without white space
    /// around it.
    func text(_ name: String, isSecret: Bool = false) -> String? {
        let (given, file) = (string(name), string("\(name)_FILE"))
        if given != nil, file != nil {
            mistakes.append("\(name) and \(name)_FILE are both set: leave one out")
        }
        let value = given ?? file.flatMap { contents(of: $0, for: name, isSecret: isSecret) }
        shown.append((name, value.map { isSecret ? DatabaseURL.masked($0) : $0.withoutLogin } ?? "–"))
        return value
    }

    func value<Value>(
        _ name: String, default standard: Value, shown standardText: String? = nil,
        _ reading: SettingReading<Value>
    ) -> Value {
        guard let text = text(name) else {
            shown[shown.count - 1].value = "\(standardText ?? "\(standard)") (default)"
            return standard
        }
        guard let value = reading.read(text) else {
            mistakes.append(
                "\(name): '\(text.withoutLogin)' is not allowed: it must be \(reading.allowed)")
            return standard
        }
        return value
    }

    /// - Parameter unit: how many seconds one unit of the setting has.
    func duration(_ name: String, default standard: Duration, unit: Int = 1, _ reading: SettingReading<Int>)
        -> Duration
    {
        .seconds(value(name, default: Int(standard.components.seconds) / unit, reading) * unit)
    }

    func refuse(_ mistake: String) {
        mistakes.append(mistake)
    }

    private func string(_ name: String) -> String? {
        let key = ConfigKey(name.lowercased().split(separator: "_").map(String.init))
        let value = reader.string(forKey: key)?.trimmingCharacters(in: .whitespacesAndNewlines)
        return value?.isEmpty == true ? nil : value
    }

    private func contents(of file: String, for name: String, isSecret: Bool) -> String? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            // The secret itself may have been written there.
            let shown = isSecret && file.contains(/[@=:]/) ? "***" : file
            mistakes.append("\(name)_FILE: cannot read '\(shown)'")
            return nil
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// The errors in the settings, one on each line.
package struct ConfigError: Error, CustomStringConvertible {
    package let mistakes: [String]

    package var description: String { mistakes.joined(separator: "\n") }
}

extension Config {
    /// Reads the settings. Throws a `ConfigError` that names every value that cannot be read.
    package init(environment: [String: String]) throws {
        let (config, mistakes) = Self.read(environment)
        guard mistakes.isEmpty else { throw ConfigError(mistakes: mistakes) }
        self = config
    }

    /// Returns the settings, with the default for those that cannot be read, and what is wrong with them.
    static func read(_ environment: [String: String]) -> (config: Config, mistakes: [String]) {
        let settings = EnvironmentReader(environment: environment)
        return (Config(settings), settings.mistakes)
    }

    /// Returns names and values as read, with secrets masked.
    package static func shown(environment: [String: String]) -> [(name: String, value: String)] {
        let settings = EnvironmentReader(environment: environment)
        _ = Config(settings)
        return settings.shown
    }

    private init(_ settings: EnvironmentReader) {
        server = ServerConfig(settings)
        database = DatabaseConfig(settings)
        auth = AuthConfig(settings)
        app = AppConfig(settings)
        cards = CardConfig(settings)
        usernames = UsernamePolicy(settings)
        friends = FriendLimits(settings)
        avatarHosts = settings.value(
            "KITH_AVATAR_HOSTS", default: avatarHosts, shown: "–",
            SettingReading(HostPatterns.form) { HostPatterns($0) })
        rateLimits = RateLimitConfig(settings)
        invites = InvitePolicy(settings)
        installs = InstallPolicy(settings)
        counts = CountPolicy(settings)
        events = EventPolicy(settings)
        webhooks.reach = settings.value(
            "KITH_WEBHOOK_PRIVATE_ADDRESSES", default: webhooks.reach, shown: webhooks.reach.rawValue,
            SettingReading("allow or deny") { PublicAddress.Reach(rawValue: $0) })
        secretsKey = settings.secretsKey()
        appStoreRoots = settings.appStoreRoots()
        disposableDomains = settings.disposableDomains()
        console = ConsoleConfig(settings)
        refuseSharedConsole(settings)
    }

    /// Refuses a console at a host of links: what is stolen there must be worth nothing at the console.
    private func refuseSharedConsole(_ settings: EnvironmentReader) {
        guard let url = console.url else { return }
        let others = [server.linkURL] + ((try? LinkDomain.all(app)) ?? []).map(\.origin)
        guard others.contains(where: console.sharesHost) else { return }
        settings.refuse(
            "KITH_CONSOLE_URL: '\(url)' is a host of links (KITH_LINK_URL, KITH_LINK_DOMAINS): give the console one of its own"
        )
    }
}

extension ServerConfig {
    fileprivate init(_ settings: EnvironmentReader) {
        self.init()
        listen = settings.value("KITH_LISTEN", default: listen, .address)
        opsListen = settings.value("KITH_OPS_LISTEN", default: opsListen, .address)
        linkURL = settings.value(
            "KITH_LINK_URL", default: "http://\(listen)",
            SettingReading("scheme, host and port, as in https://example.org", Self.origin))
        if listen.overlaps(opsListen) {
            settings.refuse("KITH_OPS_LISTEN: '\(opsListen)' is not allowed: it must differ from KITH_LISTEN")
        }
        maxConnections = settings.value(
            "KITH_MAX_CONNECTIONS", default: nil, shown: "–", SettingReading<Int>.positive.optional)
        drain = settings.duration("KITH_DRAIN_SECONDS", default: drain, .counting)
        shutdown = settings.duration("KITH_SHUTDOWN_SECONDS", default: shutdown, .positive)
        trustedProxies = TrustedProxies(settings)
        erasureLog = settings.value(
            "KITH_ERASURE_LOG", default: nil, shown: "–",
            SettingReading<String>("the path of a file, from /") { $0.hasPrefix("/") ? $0 : nil }.optional)
        logLevel = settings.value("KITH_LOG_LEVEL", default: logLevel, .level)
        logFormat = settings.value(
            "KITH_LOG_FORMAT", default: logFormat, SettingReading("json or text") { LogFormat(rawValue: $0) })
        accessLog = settings.value(
            "KITH_ACCESS_LOG", default: accessLog,
            SettingReading("off or json") { AccessLogFormat(rawValue: $0) })
    }

    /// Returns scheme, host and port, without a slash at the end. Browsers send names of other scripts as
    /// `xn--…`.
    static func origin(_ text: String) -> String? {
        guard let url = try? WebURL(text), ["", "/"].contains(url.rest) else { return nil }
        return url.origin
    }
}

extension DatabaseConfig {
    fileprivate init(_ settings: EnvironmentReader) {
        self.init()
        url = Self.url("KITH_DATABASE_URL", settings)
        writers = settings.value("KITH_DATABASE_WRITERS", default: writers, .number(1...200))
        pooler = settings.value(
            "KITH_DATABASE_POOLER", default: pooler,
            SettingReading("none, transaction or prepared") { Database.Pooler(rawValue: $0) })
        readURL = Self.url("KITH_READ_URL", settings)
        readLag = settings.duration("KITH_READ_LAG_SECONDS", default: readLag, .lag)
        redirectLag = settings.duration("KITH_REDIRECT_LAG_SECONDS", default: redirectLag, .lag)
    }

    private static func url(_ name: String, _ settings: EnvironmentReader) -> String {
        let url = settings.text(name, isSecret: true) ?? ""
        if !url.isEmpty, !DatabaseURL.isAllowed(url) {
            settings.refuse("\(name): \(DatabaseURL.allowed)")
        } else if let wrong = DatabaseURL.wrongValue(in: url) {
            settings.refuse("\(name): \(wrong)")
        }
        return url
    }
}

extension UsernamePolicy {
    fileprivate init(_ settings: EnvironmentReader) {
        self.init()
        let shortest = settings.value("KITH_USERNAME_MIN_LENGTH", default: rules.length.lowerBound, .positive)
        let longest = settings.value("KITH_USERNAME_MAX_LENGTH", default: rules.length.upperBound, .positive)
        if shortest <= longest, longest <= 64 {
            rules.length = shortest...longest
        } else {
            settings.refuse("KITH_USERNAME_MAX_LENGTH must be from KITH_USERNAME_MIN_LENGTH to 64")
        }
        rules.reserved = settings.value("KITH_USERNAME_RESERVED", default: [], shown: "–", .words)
        cooldown = settings.duration(
            "KITH_USERNAME_COOLDOWN_DAYS", default: cooldown, unit: 86_400, .counting)
        hold = settings.duration("KITH_USERNAME_HOLD_DAYS", default: hold, unit: 86_400, .counting)
        reservation = settings.duration(
            "KITH_DELETED_NAME_DAYS", default: reservation, unit: 86_400, .counting)
    }
}

extension FriendLimits {
    fileprivate init(_ settings: EnvironmentReader) {
        self.init()
        friends = settings.value("KITH_MAX_FRIENDS", default: friends, .positive)
        requests = settings.value("KITH_MAX_REQUESTS", default: requests, .positive)
    }
}

extension InvitePolicy {
    fileprivate init(_ settings: EnvironmentReader) {
        self.init()
        byName = settings.value(
            "KITH_INVITES_BY_NAME", default: byName, shown: "friends",
            SettingReading("friends or request") { ["friends": .auto, "request": .ask][$0] })
        links = settings.value("KITH_MAX_LINKS", default: links, .positive)
    }
}

extension InstallPolicy {
    fileprivate init(_ settings: EnvironmentReader) {
        self.init()
        matching = settings.value(
            "KITH_INSTALL_MATCHING", default: matching,
            SettingReading("exact or likely") { Matching(rawValue: $0) })
    }
}

extension TrustedProxies {
    fileprivate init(_ settings: EnvironmentReader) {
        self.init()
        let text = settings.text("KITH_TRUSTED_PROXIES") ?? ""
        for part in text.split(separator: ",") {
            let part = part.trimmingCharacters(in: .whitespaces)
            if let range = AddressRange(part) {
                ranges.append(range)
            } else if AddressRange.isOfAll(part) {
                settings.refuse(
                    "KITH_TRUSTED_PROXIES: '\(part)' would trust everybody: name your proxies alone, as in 10.0.0.0/8"
                )
            } else {
                settings.refuse(
                    "KITH_TRUSTED_PROXIES: '\(part)' is not a range of addresses: write it as in 10.0.0.0/8 or fd00::/8"
                )
            }
        }
    }
}

extension RateLimitConfig {
    fileprivate init(_ settings: EnvironmentReader) {
        self.init()
        do {
            try self.init(settings.value("KITH_RATE_LIMITS", default: "on", .any))
        } catch {
            settings.refuse("KITH_RATE_LIMITS: \(error.text)")
            self.init()
        }
    }
}
