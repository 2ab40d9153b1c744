/// An app for Android, as Google names it.
package struct AndroidApp: Hashable, Sendable {
    package let package: String
    /// The fingerprints of every key that signs the app: Google's, and those of test builds.
    package let fingerprints: [Fingerprint]

    /// The SHA-256 of a certificate, in capitals with colons: `14:6D:E9:…`.
    package struct Fingerprint: Hashable, Sendable, Encodable {
        package let text: String

        /// Takes 32 bytes in hex, in upper or lower case, with or without colons. Nil for any other text,
        /// such as the SHA-1 that consoles show beside it.
        package init?(_ text: some StringProtocol) {
            let digits = text.uppercased().filter { $0 != ":" }
            guard digits.wholeMatch(of: /[0-9A-F]{64}/) != nil else { return nil }
            let pairs = stride(from: 0, to: 64, by: 2).map { digits.dropFirst($0).prefix(2) }
            let plain = text.uppercased()
            guard plain == digits || plain == pairs.joined(separator: ":") else { return nil }
            self.text = pairs.joined(separator: ":")
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }
}

extension AndroidApp {
    /// Returns the apps of the settings. The first is the one whose store page is shown. An app opens no
    /// links unless a key that signs it is known.
    package static func all(_ config: AppConfig) throws(AppsError) -> [AndroidApp] {
        var apps: [AndroidApp] = []
        if let list = config.androidFingerprints {
            guard let package = config.androidPackage else {
                throw .alone("KITH_ANDROID_FINGERPRINTS", missing: "KITH_ANDROID_PACKAGE")
            }
            var fingerprints: [Fingerprint] = []
            for text in list.listed {
                guard let fingerprint = Fingerprint(text) else { throw .fingerprint(text) }
                fingerprints.append(fingerprint)
            }
            apps.append(AndroidApp(package: package, fingerprints: fingerprints))
        }
        return try apps + others(config.androidOtherApps?.listed ?? [])
    }

    private static func others(_ texts: [String]) throws(AppsError) -> [AndroidApp] {
        var apps: [AndroidApp] = []
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].wholeMatch(of: /[A-Za-z0-9_.]+/) != nil,
                let fingerprint = Fingerprint(parts[1])
            else { throw .otherApp("KITH_ANDROID_OTHER_APPS", text, "com.example.app=14:6D:E9:… (SHA-256)") }
            let package = String(parts[0])
            if let last = apps.last, last.package == package {
                apps[apps.count - 1] = AndroidApp(
                    package: package, fingerprints: last.fingerprints + [fingerprint])
            } else {
                apps.append(AndroidApp(package: package, fingerprints: [fingerprint]))
            }
        }
        return apps
    }
}
