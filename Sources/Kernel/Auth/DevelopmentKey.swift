import Crypto
package import Foundation
import JWTKit
import Web

/// The identity provider of `kith dev` and `kith token`: a key in a folder that signs tokens for any user.
/// `kith serve` never uses it.
package struct DevelopmentKey: Sendable {
    static let issuer = "kith-dev"
    static let audience = "kith-dev"
    static let lifetime: TimeInterval = 7 * 86_400

    private let key: ES256PrivateKey
    private let folder: URL

    /// Reads the folder's key, or creates both. Concurrent creations get the same key.
    package init(folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = Self.file(in: folder)
        if !FileManager.default.fileExists(atPath: file.path) {
            try Self.create(P256.Signing.PrivateKey().pemRepresentation, at: file)
        }
        key = try ES256PrivateKey(pem: String(contentsOf: file, encoding: .utf8))
        try jwks.write(to: jwksFile, options: .atomic)
    }

    private static func file(in folder: URL) -> URL { folder.appending(path: "development-key.pem") }

    /// Whether the folder has a key.
    package static func isThere(in folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: file(in: folder).path)
    }

    /// Creates the file by writing a draft and linking it: a link appears complete, and only if the file does
    /// not exist.
    private static func create(_ pem: String, at file: URL) throws {
        let draft = file.appendingPathExtension(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: draft) }
        let ownerOnly: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: draft.path, contents: nil, attributes: ownerOnly) else {
            throw CocoaError(.fileWriteUnknown)
        }
        try Data(pem.utf8).write(to: draft)
        do {
            try FileManager.default.linkItem(at: draft, to: file)
        } catch CocoaError.fileWriteFileExists {
            return
        }
    }
}

extension DevelopmentKey {
    /// The settings with which a server accepts its tokens.
    package var config: AuthConfig {
        AuthConfig(jwks: jwksFile.path, issuer: Self.issuer, audience: Self.audience)
    }

    /// Whether a server with these settings takes the tokens of `kith token`.
    package static func isAccepted(by config: AuthConfig) -> Bool { config.issuer == issuer }

    private var jwksFile: URL { folder.appending(path: "jwks.json") }

    /// The public key, as a provider would publish it.
    var jwks: Data {
        get throws {
            let point = try P256.Signing.PublicKey(pemRepresentation: key.publicKey.pemRepresentation)
                .rawRepresentation
            let jwk = [
                "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": kid,
                "x": point.prefix(32).base64URL, "y": point.suffix(32).base64URL,
            ]
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try encoder.encode(["keys": [jwk]])
        }
    }

    private var kid: String {
        String(Data(SHA256.hash(data: Data(key.publicKey.pemRepresentation.utf8))).base64URL.prefix(16))
    }

    /// Whether a user can have this uid. Servers refuse a token with any other text.
    package static func isUID(_ text: String) -> Bool { User.UID(text) != nil }

    /// Signs an ID token for this user, valid for 7 days.
    package func sign(uid: String, at now: Date = Date()) async throws -> String {
        let claims = Claims(
            iss: Self.issuer, aud: Self.audience, sub: uid, iat: now.timeIntervalSince1970.rounded(.down),
            exp: (now + Self.lifetime).timeIntervalSince1970.rounded(.down))
        let keys = await JWTKeyCollection().add(ecdsa: key, kid: JWKIdentifier(string: kid))
        return try await keys.sign(claims, kid: JWKIdentifier(string: kid))
    }

    private struct Claims: JWTPayload {
        let iss: String
        let aud: String
        let sub: String
        let iat: Double
        let exp: Double

        func verify(using algorithm: some JWTAlgorithm) {}
    }
}
