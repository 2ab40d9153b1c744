import Crypto
import Foundation
import Postgres

/// What a browser and an app on the same phone both show: coarse on purpose.
struct VisitorFacts: Hashable, Sendable {
    let address: ClientAddress
    /// Of the system: `18.6`.
    let osVersion: String
    /// The primary part of the language: `ja`.
    let language: String

    /// Nil unless all three are known.
    init?(address: ClientAddress?, osVersion: String?, language: String?) {
        guard let address, let version = osVersion?.firstMatch(of: /^\d{1,3}\.\d{1,3}/),
            let language = language?.firstMatch(of: /^[A-Za-z]{2,3}/)
        else { return nil }
        (self.address, self.osVersion, self.language) = (
            address, String(version.output), language.output.lowercased()
        )
    }

    /// - Parameter salt: without it nobody can tell what was hashed.
    func hash(salt: [UInt8]) -> UUID {
        let parts = ["\(address.subject)", osVersion, language].map { Array($0.utf8) }
        let code = HMAC<SHA256>.authenticationCode(
            for: LengthPrefixed.write(parts), using: SymmetricKey(data: salt))
        return UUID(bytes: Array(code))
    }
}

/// The salts of `install_salts`, one a day.
struct InstallSaltStore: Sendable {
    var db: Database

    /// Today's, which the first call of a day makes.
    /// - Parameter new: 32 random bytes.
    func today(orNew new: [UInt8]) async throws -> [UInt8] {
        let results = try await db.write.batch([
            "INSERT INTO install_salts (day, salt) VALUES (\(Self.today), \(new)) ON CONFLICT DO NOTHING",
            "SELECT salt FROM install_salts WHERE day = \(Self.today)",
        ])
        return try results[1].first { try $0.next() } ?? new
    }

    /// Of the last two days.
    func recent() async throws -> [[UInt8]] {
        try await db.read.query("SELECT salt FROM install_salts WHERE day >= \(Self.today) - 1") {
            try $0.next()
        }
    }

    func forgetOld() async throws {
        try await db.write.run("DELETE FROM install_salts WHERE day < \(Self.today) - 1")
    }

    private static let today: Statement = "(now() AT TIME ZONE 'UTC')::date"
}
