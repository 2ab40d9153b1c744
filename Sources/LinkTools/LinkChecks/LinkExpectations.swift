import Kernel

/// The apps that an operator expects in association files.
struct LinkExpectations: Sendable {
    struct Key: Hashable, Sendable {
        let package: String
        let fingerprint: AndroidApp.Fingerprint
    }

    private(set) var iosApps: [IOSApp] = []
    private(set) var androidKeys: [Key] = []

    /// - Parameters:
    ///   - ios: the apps, as in `ABCDE12345.com.example.app`.
    ///   - android: the apps with their keys, as in `com.example.app=14:6D:E9:…`.
    init(ios: [String] = [], android: [String] = []) throws(LinkCheckError) {
        for text in ios {
            let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2, let app = IOSApp(teamID: parts[0], bundleID: parts[1]) else {
                throw LinkCheckError("--ios-app \(text): it must be as in ABCDE12345.com.example.app")
            }
            iosApps.append(app)
        }
        for text in android {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let fingerprint = AndroidApp.Fingerprint(parts[1]) else {
                throw LinkCheckError(
                    "--android-app \(text): it must be as in com.example.app=14:6D:E9:…, with a SHA-256")
            }
            androidKeys.append(Key(package: parts[0], fingerprint: fingerprint))
        }
    }

    init(ios: [IOSApp], android: [AndroidApp]) {
        iosApps = ios
        androidKeys = android.flatMap { app in
            app.fingerprints.map { Key(package: app.package, fingerprint: $0) }
        }
    }

    /// Returns which of them are missing.
    func findings(_ apps: [AssociatedApp]) -> [LinkFinding] {
        var (apple, android) = (LinkFindings(.apple), LinkFindings(.android))
        for app in iosApps where !apps.contains(where: { $0.reader == .apple && $0.name == app.appID }) {
            let similar = apps.first { $0.reader == .apple && $0.name.hasSuffix(".\(app.bundleID)") }
            let hint = similar.map { "; \($0.name) is" } ?? ""
            apple.add(.expectedIOS, "\(app.appID) is not in `details`\(hint)")
        }
        for key in androidKeys {
            guard let app = apps.first(where: { $0.reader == .google && $0.name == key.package }) else {
                android.add(.expectedAndroid, "no statement lets links open \(key.package)")
                continue
            }
            guard !app.fingerprints.contains(key.fingerprint.text) else { continue }
            android.add(.expectedAndroid, "\(key.package) has no fingerprint \(key.fingerprint.text)")
        }
        return apple.all + android.all
    }
}
