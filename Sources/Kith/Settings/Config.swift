package import Console
package import Counts
import Events
import Graph
import Growth
package import Kernel
import Links
package import Logging
package import Operations
package import Pictures
package import Postgres
package import Web
import Webhooks

/// All settings, read once at the start. Each field documents its variable and its default.
package struct Config: Sendable {
    package var server = ServerConfig()
    package var database = DatabaseConfig()
    package var auth = AuthConfig()
    package var app = AppConfig()
    package var cards = CardConfig()
    package var console = ConsoleConfig()
    var usernames = UsernamePolicy()
    var friends = FriendLimits()
    /// `KITH_AVATAR_HOSTS`; none. The hosts of the pictures in profiles, separated by commas. `*.example.com`
    /// means all hosts below it.
    var avatarHosts = AvatarHosts.none
    /// `KITH_RATE_LIMITS`; on. The rate limits.
    var rateLimits = RateLimitConfig()
    var invites = InvitePolicy()
    var installs = InstallPolicy()
    package var counts = CountPolicy()
    var events = EventPolicy()
    var webhooks = WebhookPolicy()
    /// `KITH_SECRETS_KEY`; none. The key, 32 bytes in base64, with which secrets are encrypted that Kith must
    /// read again.
    var secretsKey: SecretsKey?
    /// `KITH_APPSTORE_ROOTS`; none. A file with Apple's certificates, with which purchases are verified.
    var appStoreRoots: AppStoreRoots?
    /// `KITH_DISPOSABLE_DOMAINS`; none. A file with the domains of mail addresses that anybody can have for
    /// minutes, one on each line.
    var disposableDomains = DisposableDomains()

    package init() {}
}

package struct ServerConfig: Sendable {
    /// `KITH_LISTEN`; 127.0.0.1:8080. The address of the product.
    package var listen = HostPort(host: "127.0.0.1", port: 8080)
    /// `KITH_OPS_LISTEN`; 127.0.0.1:8081. The address of `/livez`, `/readyz` and `/metrics`.
    package var opsListen = HostPort(host: "127.0.0.1", port: 8081)
    /// `KITH_LINK_URL`; http:// and the address of `KITH_LISTEN`. The origin of links, QR codes and
    /// redirects.
    package var linkURL = "http://127.0.0.1:8080"
    /// `KITH_MAX_CONNECTIONS`; as many as the limit of open files allows, at most 10,000. The most client
    /// connections. Others get a 503.
    package var maxConnections: Int?
    /// `KITH_DRAIN_SECONDS`; 0. For how many seconds after SIGTERM requests are still accepted while
    /// readiness fails.
    package var drain: Duration = .zero
    /// `KITH_SHUTDOWN_SECONDS`; 25. How many seconds running requests then get to finish.
    package var shutdown: Duration = .seconds(25)
    /// `KITH_TRUSTED_PROXIES`; none. The CIDRs of proxies whose `X-Forwarded-For` and `X-Request-Id` are
    /// believed.
    var trustedProxies = TrustedProxies()
    /// `KITH_ERASURE_LOG`; none. A file for deletions and revocations, which a restored backup would undo.
    package var erasureLog: String?
    /// `KITH_LOG_LEVEL`; info. The lowest level that is logged.
    package var logLevel = Logger.Level.info
    /// `KITH_LOG_FORMAT`; json. The format of log lines. `text` is for people.
    package var logFormat = LogFormat.json
    /// `KITH_ACCESS_LOG`; off. Whether each answer has a line in the log.
    package var accessLog = AccessLogFormat.off

    package enum AccessLogFormat: String, Sendable {
        case off, json
    }

    package enum LogFormat: String, Sendable {
        case json, text
    }

    package init() {}
}

package struct DatabaseConfig: Sendable {
    /// `KITH_DATABASE_URL` or `KITH_DATABASE_URL_FILE`. A libpq URL. Several hosts are allowed.
    package var url = ""
    /// `KITH_DATABASE_WRITERS`; 8. The number of connections for writes. Concurrent writes share a commit.
    package var writers = 8
    /// `KITH_DATABASE_POOLER`; none. Whether a pooler shares connections by transaction, and keeps prepared
    /// statements.
    package var pooler = Database.Pooler.none
    /// `KITH_READ_URL` or `KITH_READ_URL_FILE`; none. A libpq URL. Each of its hosts is a standby that may
    /// answer reads.
    package var readURL = ""
    /// `KITH_READ_LAG_SECONDS`; 5. How old the data may be that lists and profiles show if a standby answers.
    package var readLag: Duration = .seconds(5)
    /// `KITH_REDIRECT_LAG_SECONDS`; 0. How old the data of links may be. 0 means the current state, from the
    /// primary.
    package var redirectLag: Duration = .zero

    /// The settings as the driver needs them.
    package var driver: Database.Configuration {
        var configuration = Database.Configuration(url: url)
        configuration.write.connections = writers
        configuration.pooler = pooler
        if !readURL.isEmpty {
            configuration.standbys = .init(url: readURL, maxAge: max(readLag, redirectLag))
        }
        return configuration
    }
}

/// `host:port`, with an IPv6 host in brackets.
package struct HostPort: Sendable, Equatable, CustomStringConvertible {
    package var host: String
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65535).contains(port)
        else { return nil }
        host = String(text[..<colon])
        if let address = host.wholeMatch(of: /\[([0-9A-Fa-f:.]+(?:%[A-Za-z0-9._-]+)?)\]/) {
            host = String(address.1)
            guard host.contains(":") else { return nil }
        } else {
            guard host.wholeMatch(of: /[A-Za-z0-9._-]+/) != nil else { return nil }
        }
        self.port = port
    }

    /// Whether the system would refuse to listen on both.
    func overlaps(_ other: HostPort) -> Bool {
        guard port == other.port, port != 0 else { return false }
        return isEverywhere || other.isEverywhere || Self.plain(host) == Self.plain(other.host)
    }

    /// Whether it stands for every address of the machine, so that no link can name it.
    package var isEverywhere: Bool { host == "0.0.0.0" || host == "::" }

    private static func plain(_ host: String) -> String {
        let host = host.lowercased()
        return host == "localhost" ? "127.0.0.1" : host
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension ImportStore {
    package init(_ db: Database, _ config: Config) {
        self.init(db, usernames: config.usernames, friends: config.friends)
    }
}

extension UsernameReleaseStore {
    package init(_ db: Database, _ config: Config) {
        self.init(db, config.usernames)
    }
}

extension OfferImportStore {
    package init(_ db: Database, _ config: Config) {
        self.init(db: db, secretsKey: config.secretsKey)
    }
}

extension ErasureRepeating {
    package init(_ db: Database, _ config: Config) {
        self.init(
            ErasureStore(db: db), users: UserStore(db: db),
            accounts: AccountStore(
                db: db, limits: config.friends, names: config.usernames, userData: App.userData))
    }
}

extension WebhookSetup {
    package init(_ db: Database, _ config: Config, world: World = .live) {
        self.init(
            store: WebhookStore(db: db), events: EventStore(db: db), secretsKey: config.secretsKey,
            policy: config.webhooks,
            world: world)
    }
}
