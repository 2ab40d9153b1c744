/// An app for Android, as Google names it.
struct AndroidApp: Hashable, Sendable {
    let package: String
    /// Of every key that signs it: Google's, and those of test builds.
    let fingerprints: [Fingerprint]

    /// SHA-256 of a certificate, in capitals with colons: `14:6D:E9:…`.
    struct Fingerprint: Hashable, Sendable, Encodable {
        let text: String

        /// Takes 32 bytes in hex, in any case, with or without colons; nil for all else, such as the SHA-1 beside it.
        init?(_ text: some StringProtocol) {
            let digits = text.uppercased().filter { $0 != ":" }
            guard digits.wholeMatch(of: /[0-9A-F]{64}/) != nil else { return nil }
            let pairs = stride(from: 0, to: 64, by: 2).map { digits.dropFirst($0).prefix(2) }
            let plain = text.uppercased()
            guard plain == digits || plain == pairs.joined(separator: ":") else { return nil }
            self.text = pairs.joined(separator: ":")
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }
}

extension AndroidApp {
    /// The app of the settings; nil if they name none, or no key that signs it.
    init?(_ config: AppConfig) throws(AppsError) {
        guard let list = config.androidFingerprints else { return nil }
        guard let package = config.androidPackage else {
            throw .alone("KITH_ANDROID_FINGERPRINTS", missing: "KITH_ANDROID_PACKAGE")
        }
        var fingerprints: [Fingerprint] = []
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            let text = String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            guard let fingerprint = Fingerprint(text) else { throw .fingerprint(text) }
            fingerprints.append(fingerprint)
        }
        self.init(package: package, fingerprints: fingerprints)
    }
}
