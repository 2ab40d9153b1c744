import Foundation
import Logging
import Postgres
import Testing

@testable import AppTesting
@testable import Console
@testable import Counts
@testable import Events
@testable import Graph
@testable import Growth
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Pictures
@testable import Web
@testable import Webhooks

/// Settings: defaults, variables, errors, and how they are shown.
@Suite struct ConfigTests {
    @Test func `without variables every setting has its documented default`() throws {
        let config = try Config(environment: [:])
        #expect(config.server.listen == HostPort(host: "127.0.0.1", port: 8080))
        #expect(config.server.opsListen == HostPort(host: "127.0.0.1", port: 8081))
        #expect(config.server.linkURL == "http://127.0.0.1:8080")
        #expect(config.server.drain == .zero)
        #expect(config.server.shutdown == .seconds(25))
        #expect(config.server.logLevel == .info)
        #expect(config.server.logFormat == .json)
        #expect(config.database.url.isEmpty)
        #expect(config.database.writers == 8)
        #expect(config.database.pooler == .none)
        #expect(config.database.readURL.isEmpty)
        #expect(config.database.readLag == .seconds(5))
        #expect(config.database.redirectLag == .zero)
        #expect(config.auth.jwks == nil && config.auth.issuer == nil && config.auth.audience == nil)
        #expect(config.auth.firebaseProject == nil && config.auth.uidClaim == nil)
        #expect(config.auth.audienceClaim == .aud)
        #expect(config.app.name == "Kith")
        #expect(config.app.scheme == nil && config.app.templates == nil && config.app.icon == nil)
        #expect(config.app.minimumIOS == nil && config.app.minimumAndroid == nil && !config.app.storeFirst)
        #expect(!config.app.vanityLinks)
        #expect(!config.app.showsFriendCount)
        #expect(config.app.sunset == nil && config.app.sunsetURL == nil)
        #expect(config.cards.colours == nil && config.cards.background == nil)
        #expect(config.app.appStoreID == nil && config.app.appStoreURL == nil)
        #expect(config.app.androidPackage == nil && config.app.playStoreURL == nil)
        #expect(config.usernames.rules.length == 3...30)
        #expect(config.usernames.rules.reserved.isEmpty)
        #expect(config.usernames.correction == .seconds(24 * 3600))
        #expect(config.usernames.cooldown == .seconds(14 * 86_400))
        #expect(config.usernames.hold == .seconds(90 * 86_400))
        #expect(config.usernames.maxHeld == 3)
        #expect(config.usernames.returnsPerDay == 3)
        #expect(config.usernames.changesPerDay == 10)
        #expect(config.usernames.reservation == .seconds(365 * 86_400))
        #expect(config.friends.friends == 1000)
        #expect(config.avatarHosts == .none)
        #expect(config.console.url == nil && config.console.issuer == nil && config.console.roles.isEmpty)
        #expect(config.console.clientID == nil && config.console.clientSecret == nil)
    }

    @Test func `a low limit of descriptors leaves enough free for operators and webhooks`() {
        #expect([128, 256, 100_000].map(Server.opsConnections) == [8, 16, 32])
        let policy = WebhookPolicy()
        #expect([192, 1024, 65_536].map { Server.deliveries($0, of: policy) } == [2, 3, 64])
        for descriptors in 192...5000 {
            let clients = Server.clientConnections(descriptors, writers: 8)
            let (operators, database) = (Server.opsConnections(descriptors), 2 * (8 + 19))
            let webhooks = policy.mostWebhooks * Server.deliveries(descriptors, of: policy)
            #expect(clients + operators + database + webhooks + 24 <= descriptors)
        }
    }

    private static let secretsKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

    private struct Setting: Sendable, CustomTestStringConvertible {
        let name: String
        let value: String
        let isRead: @Sendable (Config) -> Bool
        var testDescription: String { name }
    }

    private static let settings = [
        Setting(name: "KITH_LISTEN", value: "0.0.0.0:80") { $0.server.listen.description == "0.0.0.0:80" },
        Setting(name: "KITH_LISTEN", value: "[::1]:80") { $0.server.listen == .init(host: "::1", port: 80) },
        Setting(name: "KITH_LISTEN", value: "h:7") { $0.server.linkURL == "http://h:7" },
        Setting(name: "KITH_OPS_LISTEN", value: "ops:1") { $0.server.opsListen.description == "ops:1" },
        Setting(name: "KITH_LINK_URL", value: "https://a.example/") {
            $0.server.linkURL == "https://a.example"
        },
        Setting(name: "KITH_MAX_CONNECTIONS", value: "70") { $0.server.maxConnections == 70 },
        Setting(name: "KITH_DRAIN_SECONDS", value: "5") { $0.server.drain == .seconds(5) },
        Setting(name: "KITH_SHUTDOWN_SECONDS", value: "7") { $0.server.shutdown == .seconds(7) },
        Setting(name: "KITH_LOG_LEVEL", value: "trace") { $0.server.logLevel == .trace },
        Setting(name: "KITH_ACCESS_LOG", value: "json") { $0.server.accessLog == .json },
        Setting(name: "KITH_LOG_FORMAT", value: "text") { $0.server.logFormat == .text },
        Setting(name: "KITH_DATABASE_URL", value: "postgresql://db/x") {
            $0.database.url == "postgresql://db/x"
        },
        Setting(name: "KITH_DATABASE_WRITERS", value: "9") { $0.database.writers == 9 },
        Setting(name: "KITH_DATABASE_POOLER", value: "transaction") { $0.database.pooler == .transaction },
        Setting(name: "KITH_READ_URL", value: "postgresql://a,b/x") {
            $0.database.readURL == "postgresql://a,b/x"
        },
        Setting(name: "KITH_READ_LAG_SECONDS", value: "3") { $0.database.readLag == .seconds(3) },
        Setting(name: "KITH_REDIRECT_LAG_SECONDS", value: "60") { $0.database.redirectLag == .seconds(60) },
        Setting(name: "KITH_AUTH_JWKS", value: "/etc/jwks.json") { $0.auth.jwks == "/etc/jwks.json" },
        Setting(name: "KITH_AUTH_ISSUER", value: "me") { $0.auth.issuer == "me" },
        Setting(name: "KITH_AUTH_AUDIENCE", value: "you") { $0.auth.audience == "you" },
        Setting(name: "KITH_AUTH_AUDIENCE_CLAIM", value: "client_id") { $0.auth.audienceClaim == .clientID },
        Setting(name: "KITH_AUTH_UID_CLAIM", value: "https://a.example/uid") {
            $0.auth.uidClaim == "https://a.example/uid"
        },
        Setting(name: "KITH_FIREBASE_PROJECT", value: "p") { $0.auth.firebaseProject == "p" },
        Setting(name: "KITH_APP_NAME", value: "花 App") { $0.app.name == "花 App" },
        Setting(name: "KITH_APP_TAGLINE", value: "花束") { $0.app.tagline == "花束" },
        Setting(name: "KITH_APP_URL", value: "https://h") { $0.app.homeURL == "https://h" },
        Setting(name: "KITH_OPERATOR_NAME", value: "Us") { $0.app.operatorName == "Us" },
        Setting(name: "KITH_PRIVACY_URL", value: "https://v") { $0.app.privacyURL == "https://v" },
        Setting(name: "KITH_REPORT_URL", value: "mailto:a@b") { $0.app.reportURL == "mailto:a@b" },
        Setting(name: "KITH_LANGUAGE", value: "ja") { $0.app.language == "ja" },
        Setting(name: "KITH_APP_SCHEME", value: "myapp") { $0.app.scheme == "myapp" },
        Setting(name: "KITH_APP_SCHEME_URLS", value: "/h url=a:b") { $0.app.schemeURLs == "/h url=a:b" },
        Setting(name: "KITH_APP_STORE_ID", value: "123") { $0.app.appStoreID == "123" },
        Setting(name: "KITH_APP_STORE_URL", value: "https://a") { $0.app.appStoreURL == "https://a" },
        Setting(name: "KITH_ANDROID_PACKAGE", value: "a.b") { $0.app.androidPackage == "a.b" },
        Setting(name: "KITH_IOS_TEAM_ID", value: "ABCDE12345") { $0.app.iosTeamID == "ABCDE12345" },
        Setting(name: "KITH_IOS_BUNDLE_ID", value: "a.b") { $0.app.iosBundleID == "a.b" },
        Setting(name: "KITH_IOS_OTHER_APPS", value: "ABCDE12345.a") { $0.app.iosOtherApps == "ABCDE12345.a" },
        Setting(name: "KITH_IOS_APP_CLIPS", value: "ABCDE12345.a") { $0.app.iosAppClips == "ABCDE12345.a" },
        Setting(name: "KITH_ANDROID_OTHER_APPS", value: "a.c=AA") { $0.app.androidOtherApps == "a.c=AA" },
        Setting(name: "KITH_ANDROID_FINGERPRINTS", value: "AA:BB") { $0.app.androidFingerprints == "AA:BB" },
        Setting(name: "KITH_PLAY_STORE_URL", value: "https://p") { $0.app.playStoreURL == "https://p" },
        Setting(name: "KITH_IOS_MINIMUM", value: "16.4") { $0.app.minimumIOS == SystemVersion(16, 4) },
        Setting(name: "KITH_ANDROID_MINIMUM", value: "8") { $0.app.minimumAndroid == SystemVersion(8) },
        Setting(name: "KITH_STORE_FIRST", value: "true") { $0.app.storeFirst },
        Setting(name: "KITH_DESKTOP_APP", value: "true") { $0.app.hasDesktopApp },
        Setting(name: "KITH_VANITY_LINKS", value: "true") { $0.app.vanityLinks },
        Setting(name: "KITH_SUNSET", value: "2028-02-29") {
            $0.app.sunset?.end.timeIntervalSince1970 == 1_835_481_600
        },
        Setting(name: "KITH_SUNSET_URL", value: "https://a/b") { $0.app.sunsetURL == "https://a/b" },
        Setting(name: "KITH_CONSOLE_URL", value: "https://D.e/") { $0.console.url == "https://d.e" },
        Setting(name: "KITH_CONSOLE_ISSUER", value: "https://i/") { $0.console.issuer == "https://i/" },
        Setting(name: "KITH_CONSOLE_CLIENT_ID", value: "kith") { $0.console.clientID == "kith" },
        Setting(name: "KITH_CONSOLE_CLIENT_SECRET", value: "s=c:r") { $0.console.clientSecret == "s=c:r" },
        Setting(name: "KITH_CONSOLE_ROLES", value: "a.example=viewer,group:b=links") {
            $0.console.roles == OpenIDRoles("a.example=viewer,group:b=links")
        },
        Setting(name: "KITH_LINK_DOMAINS", value: "https://g") { $0.app.linkDomains == "https://g" },
        Setting(name: "KITH_LINK_TARGETS", value: "a.b,*.c.d") { $0.app.linkTargets == "a.b,*.c.d" },
        Setting(name: "KITH_CORS_ORIGINS", value: "https://A.example:443, app://a, app://x:443") {
            ["https://a.example", "app://a", "app://x:443"].allSatisfy($0.app.corsOrigins.allow)
        },
        Setting(name: "KITH_APP_ICON", value: "/i.png") { $0.app.icon == "/i.png" },
        Setting(name: "KITH_CARD_COLORS", value: "#5b54d6, #9A45C4") {
            $0.cards.colours == CardStyle.Colours(0x5B54D6, 0x9A45C4)
        },
        Setting(name: "KITH_CARD_BACKGROUND", value: "/b.png") { $0.cards.background == "/b.png" },
        Setting(name: "KITH_SHOW_FRIEND_COUNT", value: "true") { $0.app.showsFriendCount },
        Setting(name: "KITH_TEMPLATES", value: "/t") { $0.app.templates == "/t" },
        Setting(name: "KITH_USERNAME_MIN_LENGTH", value: "5") { $0.usernames.rules.length == 5...30 },
        Setting(name: "KITH_USERNAME_MAX_LENGTH", value: "64") { $0.usernames.rules.length == 3...64 },
        Setting(name: "KITH_USERNAME_RESERVED", value: "Foo, bar*") {
            $0.usernames.rules.reserved == ["foo", "bar*"]
        },
        Setting(name: "KITH_USERNAME_COOLDOWN_DAYS", value: "1") {
            $0.usernames.cooldown == .seconds(86_400)
        },
        Setting(name: "KITH_USERNAME_HOLD_DAYS", value: "2") { $0.usernames.hold == .seconds(2 * 86_400) },
        Setting(name: "KITH_AVATAR_HOSTS", value: "cdn.example.org, *.Example.com") {
            $0.avatarHosts.names == ["cdn.example.org", "*.example.com"]
        },
        Setting(name: "KITH_DELETED_NAME_DAYS", value: "0") { $0.usernames.reservation == .zero },
        Setting(name: "KITH_MAX_FRIENDS", value: "12") { $0.friends.friends == 12 },
        Setting(name: "KITH_MAX_REQUESTS", value: "13") { $0.friends.requests == 13 },
        Setting(name: "KITH_INSTALL_MATCHING", value: "likely") { $0.installs.matching == .likely },
        Setting(name: "KITH_ERASURE_LOG", value: "/var/log/erased") {
            $0.server.erasureLog == "/var/log/erased"
        },
        Setting(name: "KITH_COUNT_DAYS", value: "31") { $0.counts.days == 31 },
        Setting(name: "KITH_TIME_ZONE", value: "Asia/Tokyo") { $0.counts.zone.identifier == "Asia/Tokyo" },
        Setting(name: "KITH_NUMBERS_LEAST", value: "5") { $0.counts.least == 5 },
        Setting(name: "KITH_EVENT_DAYS", value: "7") { $0.events.days == 7 },
        Setting(name: "KITH_WEBHOOK_PRIVATE_ADDRESSES", value: "allow") { $0.webhooks.reach == .isAll },
        Setting(name: "KITH_SECRETS_KEY", value: secretsKey) { $0.secretsKey != nil },
        Setting(name: "KITH_DISPOSABLE_DOMAINS", value: "Tests/disposable-domains") {
            $0.disposableDomains.contains("trash.example")
        },
        Setting(name: "KITH_APPSTORE_ROOTS", value: AppStoreSigner.rootFile) { $0.appStoreRoots != nil },
        Setting(name: "KITH_COUNTRY_HEADER", value: "cf-ipcountry") {
            $0.counts.countryHeader == "CF-IPCountry" && $0.counts.days == 400
        },
        Setting(name: "KITH_INVITES_BY_NAME", value: "request") { $0.invites.byName == .ask },
        Setting(name: "KITH_MAX_LINKS", value: "14") { $0.invites.links == 14 },
        Setting(name: "KITH_TRUSTED_PROXIES", value: "10.0.0.0/8, ::1") {
            $0.server.trustedProxies.ranges.count == 2
        },
        Setting(name: "KITH_RATE_LIMITS", value: "resolve=7/s") {
            $0.rateLimits.limits[.resolve] == GCRA(quota: 7, window: 1)
        },
    ]

    @Test(arguments: settings)
    private func `each variable is read`(setting: Setting) throws {
        #expect(setting.isRead(try Config(environment: [setting.name: setting.value])))
        #expect(setting.isRead(try Config(environment: [setting.name: "  \(setting.value)\n"])))
        #expect(!setting.isRead(try Config(environment: [setting.name: ""])), "empty is as absent")
    }

    @Test(arguments: settings)
    private func `each variable can be the content of a file`(setting: Setting) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-config-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("\(setting.value)\n".utf8).write(to: file)
        #expect(setting.isRead(try Config(environment: ["\(setting.name)_FILE": file.path])))
        let both = ["\(setting.name)_FILE": file.path, setting.name: setting.value]
        #expect(throws: ConfigError.self, "which of the two counts, nobody could tell") {
            try Config(environment: both)
        }
    }

    @Test func `every setting is shown, and this suite knows them all`() throws {
        let shown = Config.shown(environment: [:])
        #expect(Set(shown.map(\.name)) == Set(Self.settings.map(\.name)))
        #expect(shown.count == Set(shown.map(\.name)).count)
        #expect(shown.contains { $0.name == "KITH_USERNAME_RESERVED" && $0.value == "– (default)" })
        let port = try #require(shown.first { $0.name == "KITH_LISTEN" })
        #expect(port.value == "127.0.0.1:8080 (default)")
        for setting in Self.settings
        where ![
            "KITH_DATABASE_URL", "KITH_SECRETS_KEY", "KITH_CONSOLE_CLIENT_SECRET",
        ].contains(setting.name) {
            let shown = Config.shown(environment: [setting.name: setting.value])
            #expect(shown.first { $0.name == setting.name }?.value == setting.value)
        }
    }

    @Test(arguments: [
        ("KITH_LISTEN", "nonsense"), ("KITH_LISTEN", "host:"), ("KITH_LISTEN", "host:70000"),
        ("KITH_LISTEN", "host:-1"), ("KITH_LISTEN", ":8080"), ("KITH_OPS_LISTEN", "8081"),
        ("KITH_LINK_URL", "join.example.com"), ("KITH_LINK_URL", "ftp://join.example.com"),
        ("KITH_LINK_URL", "https://join.example.com/users"), ("KITH_LINK_URL", "https://"),
        ("KITH_LINK_URL", "https://*.example.com"), ("KITH_LINK_URL", "https://例え.jp"),
        ("KITH_LINK_URL", "https://join.example.com?a=b"), ("KITH_LINK_URL", "https://me@join.example.com"),
        ("KITH_LINK_URL", "https://join.example.com#x"), ("KITH_SHUTDOWN_SECONDS", "0"),
        ("KITH_SHUTDOWN_SECONDS", "-1"), ("KITH_DRAIN_SECONDS", "-1"), ("KITH_SHUTDOWN_SECONDS", "soon"),
        ("KITH_LOG_LEVEL", "loud"), ("KITH_CARD_COLORS", "#5b54d6"), ("KITH_CARD_COLORS", "red,#5b54d6"),
        ("KITH_SHOW_FRIEND_COUNT", "yes"), ("KITH_STORE_FIRST", "1"), ("KITH_VANITY_LINKS", "on"),
        ("KITH_IOS_MINIMUM", "iOS 16"), ("KITH_COUNT_DAYS", "30"), ("KITH_TIME_ZONE", "Mars/Base"),
        ("KITH_TIME_ZONE", "JST"),
        ("KITH_NUMBERS_LEAST", "0"), ("KITH_ERASURE_LOG", "erased"),
        ("KITH_ANDROID_MINIMUM", "8.0.1"), ("KITH_ANDROID_MINIMUM", "8."),
        ("KITH_LOG_FORMAT", "xml"), ("KITH_DATABASE_POOLER", "yes"), ("KITH_READ_LAG_SECONDS", "2"),
        ("KITH_DATABASE_WRITERS", "0"), ("KITH_DATABASE_WRITERS", "1.5"),
        ("KITH_USERNAME_MIN_LENGTH", "0"), ("KITH_USERNAME_MIN_LENGTH", "99999999999999999999"),
        ("KITH_USERNAME_MAX_LENGTH", "2"), ("KITH_USERNAME_MAX_LENGTH", "65"),
        ("KITH_USERNAME_COOLDOWN_DAYS", "x"),
        ("KITH_USERNAME_HOLD_DAYS", "1e3"), ("KITH_MAX_FRIENDS", "0"),
        ("KITH_MAX_REQUESTS", "x"),
        ("KITH_WEBHOOK_PRIVATE_ADDRESSES", "yes"), ("KITH_SECRETS_KEY", "AAAA"),
        ("KITH_SECRETS_KEY", "nonsense"), ("KITH_APPSTORE_ROOTS", "/nowhere/at/all"),
        ("KITH_APPSTORE_ROOTS", "Package.swift"), ("KITH_DISPOSABLE_DOMAINS", "/nowhere/at/all"),
        ("KITH_CORS_ORIGINS", "a.example"),
        ("KITH_DATABASE_URL_FILE", "/nowhere/at/all"), ("KITH_AUTH_JWKS_FILE", "/nowhere/at/all"),
        ("KITH_AUTH_AUDIENCE_CLAIM", "sub"), ("KITH_AUTH_UID_CLAIM", "iss"),
        ("KITH_AUTH_UID_CLAIM", "my uid"),
    ])
    func `an error names the mistake`(name: String, value: String) throws {
        let error = try #require(throws: ConfigError.self) { try Config(environment: [name: value]) }
        #expect(error.mistakes.count == 1)
        #expect(error.description.contains(name))
    }

    @Test func `all mistakes are reported at once, one a line`() throws {
        let error = try #require(throws: ConfigError.self) {
            try Config(environment: [
                "KITH_LISTEN": "x", "KITH_LOG_LEVEL": "loud", "KITH_MAX_FRIENDS": "many",
                "KITH_DATABASE_URL_FILE": "/nowhere",
            ])
        }
        let lines = error.description.split(separator: "\n")
        #expect(lines.count == 4)
        for name in ["KITH_LISTEN", "KITH_LOG_LEVEL", "KITH_MAX_FRIENDS", "KITH_DATABASE_URL_FILE"] {
            #expect(lines.contains { $0.hasPrefix("\(name):") })
        }
    }

    @Test(arguments: [
        "postgresql://kith:secret@db.example/kith", "postgres://kith:secret@db:5432,other:5433/kith",
        "postgresql://db.example/kith?user=kith&password=secret", "host=db user=kith password=secret",
        "postgresql://kith:secret@db.example/kith?sslpassword=secret", "secret", "//kith:secret@db",
        "postgresql://kith:s%65cret%20secret@db.example/kith",
    ])
    func `a password is never shown`(url: String) throws {
        let shown = try #require(
            Config.shown(environment: ["KITH_DATABASE_URL": url]).first { $0.name == "KITH_DATABASE_URL" })
        #expect(!shown.value.contains("secret"))
        #expect(shown.value.contains("***"))
    }

    @Test func `the key of secrets is never shown`() throws {
        let shown = Config.shown(environment: ["KITH_SECRETS_KEY": Self.secretsKey])
        #expect(shown.first { $0.name == "KITH_SECRETS_KEY" }?.value == "***")
    }

    @Test func `everything but the password is shown, so that an operator sees what was read`() throws {
        let url = "postgresql://kith:secret@db.example:5433/kith?sslmode=require"
        let shown = Config.shown(environment: ["KITH_DATABASE_URL": url])
        #expect(
            shown.first { $0.name == "KITH_DATABASE_URL" }?.value
                == "postgresql://kith:***@db.example:5433/kith?sslmode=require")
    }
}
