import Foundation
import Kernel
import Links
import Pictures

extension AppliedApp {
    /// Its hosts, in the form that Kith writes in links.
    var origins: [String] { hosts.map { ServerConfig.origin($0) ?? $0 } }

    /// Returns the settings of a server for this app alone: its own, and for everything else those of the
    /// server. Throws a `ConfigError` that names every wrong setting.
    func config(over base: Config) throws -> Config {
        var texts = base.app.textsForAllApps
        for field in AppField.all { if let text = fields[field.name] { texts[field.setting] = text } }
        let settings = EnvironmentReader(environment: texts)
        var config = base
        config.app = AppConfig(settings)
        config.app.templates = base.app.templates
        config.cards = CardConfig(settings)
        config.cards.background = base.cards.background
        config.server.linkURL = origins.first ?? base.server.linkURL
        guard settings.mistakes.isEmpty else { throw ConfigError(mistakes: settings.mistakes) }
        return config
    }

    /// Returns apps that are named twice, so that it is unclear which entry's store and scheme count.
    private static func repeated(in app: AppConfig) -> [String] {
        let counts = Dictionary(grouping: (try? IOSApp.all(app)) ?? [], by: \.appID).mapValues(\.count)
        return counts.keys.filter { counts[$0] != 1 }.sorted()
    }

    /// Returns what is wrong with the app by itself, in the words of the file.
    fileprivate func mistakes(at place: String, over base: Config) -> [String] {
        var found: [String] = []
        func check(_ part: () throws -> Void) {
            do { try part() } catch { found += "\(error)".split(separator: "\n").map(String.init) }
        }
        if hosts.isEmpty { found.append("\(place).hosts is missing: name the origins of the app's links") }
        for host in hosts where ServerConfig.origin(host) == nil {
            found.append(
                "\(place).hosts: '\(host)' is not allowed: it must be scheme, host and port, as in https://example.org"
            )
        }
        check {
            let config = try config(over: base)
            found += AppListing.mistakes(in: config.app).map(\.description)
            found += Self.repeated(in: config.app).map {
                "KITH_IOS_OTHER_APPS: '\($0)' is an app of \(place) already: leave it out, or say all in one entry"
            }
            check { _ = try AssociationFiles(config.app) }
            check { _ = try SchemeURL.all(config.app) }
            check { _ = try LinkedProject(config, hosts: origins) }
            check { _ = try LandingLanguages(standard: config.app.language, folder: config.app.templates) }
        }
        // The longest name comes first, since some begin like others.
        let fields = AppField.all.sorted { $0.setting.count > $1.setting.count }
        return found.map { mistake in
            fields.reduce(mistake) { $0.replacing($1.setting, with: "\(place).\($1.name)") }
        }
    }
}

extension AppliedApps {
    /// Returns what is wrong with the apps, in the words of the file.
    func mistakes(over base: Config) -> [String] {
        var mistakes: [String] = []
        guard apps.count <= Self.most else { return ["apps has more than \(Self.most) apps"] }
        // The limit is below that of the file, so that the output of `kith config show` is a valid file.
        let bytes = apps.values.flatMap(\.fields.values).reduce(0) { $0 + $1.utf8.count }
        if bytes > 2 << 20 { mistakes.append("apps has more than 2 MiB: make the icons smaller") }
        var hosts: [String: String] = [:]
        let ofDomains = Dictionary(
            ((try? LinkDomain.all(base.app)) ?? []).map { (HostResponder.name(ofOrigin: $0.origin), $0.text) }
        ) { first, _ in first }
        var ids: [String: String] = [:]
        for (key, app) in apps.sorted(by: { $0.key < $1.key }) {
            let place = "apps.\(key)"
            if !EntryKey.isOne(key) || key == LinkedApps.standard {
                mistakes.append(
                    "\(place): the key must be \(EntryKey.form), and not '\(LinkedApps.standard)'"
                )
            }
            mistakes += app.mistakes(at: place, over: base)
            for host in app.hosts {
                let name = HostResponder.name(ofOrigin: host)
                if let domain = ofDomains[name] {
                    mistakes.append(
                        "\(place).hosts: '\(host)' has the links '\(domain)' of the app of the settings, which would end"
                    )
                }
                if base.console.sharesHost(with: host) {
                    mistakes.append("\(place).hosts: '\(host)' is the console (KITH_CONSOLE_URL)")
                }
                if let other = hosts[name] {
                    mistakes.append("\(place).hosts: '\(host)' is a host of apps.\(other), too")
                } else {
                    hosts[name] = key
                }
            }
            for (platform, names) in (try? app.config(over: base).app.ids) ?? [:] {
                for name in Set(names) {
                    if let other = ids.updateValue(key, forKey: "\(platform) \(name)") {
                        mistakes.append("\(place).\(platform): '\(name)' is an app of apps.\(other), too")
                    }
                }
            }
        }
        return mistakes + domainMistakes(over: base, hosts)
    }

    /// Returns mistakes in domains. A host of deep links answers for one app.
    /// - Parameter hosts: the hosts of the apps' own links, with their keys.
    private func domainMistakes(over base: Config, _ hosts: [String: String]) -> [String] {
        var owners = hosts.mapValues { "apps.\($0)" }
        for origin in [base.server.linkURL] + ((try? LinkDomain.all(base.app)) ?? []).map(\.origin) {
            let name = HostResponder.name(ofOrigin: origin)
            owners[name] = owners[name] ?? "the app of the settings"
        }
        var mistakes: [String] = []
        for (key, app) in apps.sorted(by: { $0.key < $1.key }) {
            let own = "apps.\(key)"
            for domain in (try? LinkDomain.all(app.config(over: base).app)) ?? [] {
                let name = HostResponder.name(ofOrigin: domain.origin)
                let console =
                    base.console.sharesHost(with: domain.origin) ? "the console (KITH_CONSOLE_URL)" : nil
                if let owner = console ?? owners[name], owner != own {
                    mistakes.append("\(own).linkDomains: '\(domain.text)' is on a host of \(owner), too")
                }
                owners[name] = owners[name] ?? own
            }
        }
        return mistakes
    }
}

extension AppConfig {
    /// The settings for an app of the file that does not say otherwise.
    fileprivate var textsForAllApps: [String: String] {
        [
            "KITH_OPERATOR_NAME": operatorName, "KITH_PRIVACY_URL": privacyURL,
            "KITH_REPORT_URL": reportURL, "KITH_LANGUAGE": language,
            "KITH_SHOW_FRIEND_COUNT": showsFriendCount ? "true" : nil,
        ].compactMapValues(\.self)
    }
}
