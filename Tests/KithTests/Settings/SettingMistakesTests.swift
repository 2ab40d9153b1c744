import Foundation
import Postgres
import Testing

@testable import Kith

/// Errors of settings name the setting and the allowed values, and show no password.
@Suite struct SettingMistakesTests {
    private func mistakes(_ environment: [String: String]) -> [String] {
        do {
            _ = try Config(environment: environment)
            return []
        } catch {
            return (error as? ConfigError)?.mistakes ?? ["\(error)"]
        }
    }

    @Test(arguments: [
        ("KITH_LISTEN", ":8080", "host:port"), ("KITH_MAX_FRIENDS", "0", "from 1 to 1000000"),
        ("KITH_DATABASE_WRITERS", "1000000", "from 1 to 200"), ("KITH_LOG_LEVEL", "loud", "warning"),
        ("KITH_LOG_FORMAT", "xml", "json or text"),
        ("KITH_USERNAME_RESERVED", "*", "separated by commas"),
        ("KITH_AVATAR_HOSTS", "https://cdn.example.org", "names of hosts"),
        ("KITH_AVATAR_HOSTS", "*.com", "names of hosts"), ("KITH_AVATAR_HOSTS", "a,,b", "names of hosts"),
        ("KITH_AVATAR_HOSTS", "a.example.org; script-src *", "names of hosts"),
        ("KITH_USERNAME_RESERVED", "a*b", "separated by commas"),
        ("KITH_LINK_URL", "ftp://x", "https://example.org"), ("KITH_DATABASE_URL", "foo", "postgresql://"),
        ("KITH_DATABASE_URL", "mysql://x/y", "postgresql://"),
        ("KITH_TRUSTED_PROXIES", "0.0.0.0/0", "'0.0.0.0/0' would trust everybody"),
        ("KITH_TRUSTED_PROXIES", "10.0.0.0/8, ::/0", "'::/0' would trust everybody"),
        ("KITH_TRUSTED_PROXIES", "x/0", "'x/0' is not a range"),
        ("KITH_APP_NAME", String(repeating: "n", count: 101), "at most 100 characters"),
        ("KITH_APP_NAME", "a\u{1}b", "without control characters"),
        ("KITH_APP_TAGLINE", String(repeating: "n", count: 201), "at most 200 characters"),
        ("KITH_APP_TAGLINE", "a\nb", "one line"), ("KITH_OPERATOR_NAME", "a\u{202E}b", "one line"),
        ("KITH_SUNSET", "tomorrow", "as in 2027-03-31"), ("KITH_SUNSET", "0000-01-01", "from 2000 to 2999"),
        ("KITH_SUNSET", "2027-02-29", "the last day (UTC)"), ("KITH_SUNSET", "2027-3-1", "as in 2027-03-31"),
        ("KITH_SUNSET", "2027-13-01", "the last day"), ("KITH_SUNSET", "2027-00-10", "the last day"),
        ("KITH_SUNSET", "2027-01-00", "the last day"), ("KITH_SUNSET", "20270331", "as in 2027-03-31"),
        ("KITH_SUNSET", "２０２７-03-31", "the last day"), ("KITH_SUNSET", "1999-12-31", "from 2000"),
        ("KITH_SUNSET", "2027-03-31T12:00:00Z", "the last day"), ("KITH_SUNSET", "10000-01-01", "to 2999"),
        ("KITH_SUNSET_URL", "http://a.example/x", "an https URL"),
        ("KITH_CONSOLE_URL", "http://desk.example", "with https but on this machine"),
        ("KITH_CONSOLE_URL", "https://desk.example/x", "scheme, host and port"),
        ("KITH_CONSOLE_ISSUER", "http://id.example", "an https URL"),
        ("KITH_CONSOLE_ISSUER", "https://id.example?x", "without a query"),
        ("KITH_CONSOLE_CLIENT_ID", "a,b", "without `,`"),
        ("KITH_CONSOLE_ROLES", "example.com=owner", "group:NAME=ROLE"),
        ("KITH_SUNSET_URL", "https://", "an https"),
        ("KITH_SUNSET_URL", "https://a.example/>; rel=x", "an https"),
        ("KITH_SUNSET_URL", "https://me:pw@a.example/", "without a login"),
        ("KITH_OPS_LISTEN", "127.0.0.1:8080", "differ"),
        ("KITH_OPS_LISTEN", "localhost:8080", "differ"), ("KITH_LISTEN", "0.0.0.0:8081", "differ"),
    ])
    func `a mistake names the setting and what is allowed`(name: String, value: String, allowed: String) {
        let mistakes = mistakes([name: value])
        #expect(mistakes.count == 1)
        #expect(mistakes.first?.contains(allowed) == true, "\(mistakes)")
        #expect(
            mistakes.first?.hasPrefix(name == "KITH_LISTEN" && allowed == "differ" ? "KITH_" : name) == true)
    }

    @Test func `setting both a variable and its file is a mistake`() {
        let both = ["KITH_DATABASE_URL": "postgresql:///a", "KITH_DATABASE_URL_FILE": "/dev/null"]
        #expect(
            mistakes(both) == ["KITH_DATABASE_URL and KITH_DATABASE_URL_FILE are both set: leave one out"])
    }

    @Test(arguments: [
        "kith:SECRET@db/kith", "//kith:SECRET@db", "postgresql:kith:SECRET@db", "mysql://kith:SECRET@db/x",
        "postgresql://kith:p@ss:SECRET@h/kith", "postgresql://kith:SEC/RET@h/kith",
        "postgresql://kith:12/SECRET@h/kith", "postgresql://h?password=p@SECRET", "SECRET",
        "postgresql://kith:SECRET%@h/kith", "postgresql://kith:%zzSECRET@h",
        "postgresql://kith:p@h:SECRET/kith",
        "postgresql://kith:p@h/kith?SECRET", "postgresql://kith:SECRET@h:99999/kith",
    ])
    func `an invalid URL is refused, and no part of it is shown`(url: String) {
        let environment = ["KITH_DATABASE_URL": url]
        let mistakes = mistakes(environment)
        #expect(mistakes.count == 1)
        let shown = Config.shown(environment: environment).map(\.value)
        for text in mistakes + shown {
            for part in ["SECRET", "SEC/", "RET@", "p@"] { #expect(!text.contains(part), "\(text)") }
        }
    }

    @Test(arguments: [
        "postgresql://", "postgres://kith:p:w?#x@db.example:5432/kith?sslmode=verify-full",
        "postgresql:///kith?host=/run/postgresql&user=kith@cloud", "postgresql://kith@[::1]:5432,b/kith",
        "postgresql://%2Frun%2Fpostgresql/kith", "postgresql://h/k?options=-c%20search_path%3Dx",
        "postgresql://kith@a,b:5433/kith?target_session_attrs=read-write", "host=db user=kith password=x",
    ])
    func `every URL that libpq reads is accepted`(url: String) {
        #expect(mistakes(["KITH_DATABASE_URL": url]) == [])
    }

    @Test(arguments: [
        "host=db password=my SECRET", "postgresql://h/k?passwort=SECRET", "host='db password=SECRET",
        "password=SECRET nonsense=SECRET",
    ])
    func `an error of libpq does not quote the URL`(url: String) throws {
        var config = Config()
        config.database.url = url
        let error = try #require(throws: ConfigError.self) { try config.database.open(.init(url: url)) }
        let text = error.description
        #expect(text.contains("KITH_DATABASE_URL"))
        #expect(!text.contains("SECRET"), "\(text)")
    }

    @Test func `a secret given instead of its file's name, and a login in another URL, are not shown`() {
        let wrong = [
            "KITH_DATABASE_URL_FILE": "postgresql://kith:SECRET@db", "KITH_LINK_URL": "https://a:SECRET@b",
        ]
        #expect(mistakes(wrong).count == 2)
        #expect(!mistakes(wrong).joined().contains("SECRET"))
        #expect(!Config.shown(environment: wrong).map(\.value).joined().contains("SECRET"))
    }

    @Test func `an unknown variable is named with the most similar setting`() {
        let unknown = Config.unknown(environment: [
            "KITH_LISTN": "x", "KITH_LISTEN": "x", "KITH_DATABASE_URL_FILE": "x", "KITH_DEV_FOLDER": "x",
            "KITH_MAX_FREINDS": "1", "PATH": "x", "KITH_SERVICE_HOST": "10.0.0.1",
            "KITH_PORT": "tcp://10.0.0.1",
            "KITH_PORT_8080_TCP_ADDR": "10.0.0.1", "KITH_OPS_SERVICE_PORT_HTTP": "1",
        ])
        #expect(unknown.map(\.name) == ["KITH_LISTN", "KITH_MAX_FREINDS"])
        #expect(unknown.map(\.nearest) == ["KITH_LISTEN", "KITH_MAX_FRIENDS"])
    }
}
