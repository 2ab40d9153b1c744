import Console
import Kernel
import Web

/// Reads the settings of the console.
extension ConsoleConfig {
    init(_ settings: EnvironmentReader) {
        self.init()
        url = settings.value(
            "KITH_CONSOLE_URL", default: nil, shown: "–",
            SettingReading<String>(
                "scheme, host and port, with https but on this machine, as in https://console.example.org"
            ) { text in
                guard let origin = ServerConfig.origin(text), WebURL(written: origin)?.isSecureOrLocal == true
                else { return nil }
                return origin
            }.optional)
        issuer = settings.value(
            "KITH_CONSOLE_ISSUER", default: nil, shown: "–",
            SettingReading<String>("an https URL without a query, as in https://id.example.org") { text in
                guard let url = WebURL(written: text), url.isSecureOrLocal, url.query == nil,
                    url.fragment == nil, !text.contains(",")
                else { return nil }
                return text
            }.optional)
        clientID = settings.value(
            "KITH_CONSOLE_CLIENT_ID", default: nil, shown: "–",
            SettingReading<String>("Kith's name at the provider, without `,` and `;`") {
                $0.contains(/[,;]/) ? nil : $0
            }.optional)
        clientSecret = settings.text("KITH_CONSOLE_CLIENT_SECRET", isSecret: true)
        roles = settings.value(
            "KITH_CONSOLE_ROLES", default: roles, shown: "–",
            SettingReading(OpenIDRoles.form) { OpenIDRoles($0) })
    }
}

extension ConsoleConfig {
    /// Whether an origin is at the console's host, at any port: cookies know no ports.
    func sharesHost(with origin: String) -> Bool {
        guard let host = url.flatMap({ WebURL(written: $0)?.host }) else { return false }
        return WebURL(written: origin)?.host == host
    }

    /// The name by which the console's host is looked up. Nil if there is no console.
    var hostName: String? { url.map(HostResponder.name(ofOrigin:)) }

    /// Throws a `ConfigError` that names the settings which others need, and which are not set.
    func requireAll() throws(ConfigError) {
        var mistakes: [String] = []
        if issuer != nil {
            let needed = [
                ("KITH_CONSOLE_URL", url), ("KITH_CONSOLE_CLIENT_ID", clientID),
                ("KITH_CONSOLE_CLIENT_SECRET", clientSecret),
            ]
            mistakes += needed.filter { $0.1 == nil }.map {
                "\($0.0) is not set, which KITH_CONSOLE_ISSUER needs"
            }
        } else if !roles.isEmpty {
            mistakes.append("KITH_CONSOLE_ISSUER is not set, which KITH_CONSOLE_ROLES needs")
        }
        guard mistakes.isEmpty else { throw ConfigError(mistakes: mistakes) }
    }
}
