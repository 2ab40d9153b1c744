import Foundation
import Growth
import Kernel

/// Reads the keys and certificates of the settings.
extension EnvironmentReader {
    func secretsKey() -> SecretsKey? {
        guard let text = text("KITH_SECRETS_KEY", isSecret: true) else { return nil }
        let key = SecretsKey(text)
        if key == nil { refuse("KITH_SECRETS_KEY: it must be 32 bytes in base64: `openssl rand -base64 32`") }
        return key
    }

    func appStoreRoots() -> AppStoreRoots? {
        let file = SettingReading<AppStoreRoots>(
            "a file with certificates in DER or PEM, as AppleRootCA-G3.cer"
        ) { path in
            (try? Data(contentsOf: URL(filePath: path))).flatMap { AppStoreRoots(Array($0)) }
        }
        return value("KITH_APPSTORE_ROOTS", default: nil, shown: "–", file.optional)
    }

    func disposableDomains() -> DisposableDomains {
        let file = SettingReading<DisposableDomains>("a file with domains, one a line") { path in
            (try? String(contentsOf: URL(filePath: path), encoding: .utf8)).map(
                DisposableDomains.init(lines:))
        }
        return value("KITH_DISPOSABLE_DOMAINS", default: nil, shown: "–", file.optional) ?? .init()
    }
}
