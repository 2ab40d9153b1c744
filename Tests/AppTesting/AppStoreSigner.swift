import Crypto
import Foundation
import TestSupport
import Testing

@testable import Growth
@testable import Web

/// Signs as Apple does, by the synthetic certificates in Tests/appstore.json, which `scripts/check-appstore
/// --write` makes.
struct AppStoreSigner: Sendable {
    let bundleID: String
    let appAppleID: Int64
    let vectors: [Vector]
    let roots: AppStoreRoots
    private let chain: [String]
    private let key: P256.Signing.PrivateKey

    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        var name: String
        var kind: String
        var jws: String
        /// What Apple's own library says, by the environment for which it is set up.
        var verdicts: [String: String]

        var testDescription: String { name }
    }

    private struct File: Decodable {
        var bundleId: String
        var appAppleId: Int64
        var root: Data
        var x5c: [String]
        var key: String
        var vectors: [Vector]
    }

    static let path = "Tests/appstore.json"
    // A static value cannot throw, and without its certificates no test of purchases means anything.
    // swift-format-ignore: NeverUseForceTry
    static let shared = try! AppStoreSigner()

    /// A file with the root, as an operator has it.
    static let rootFile: String = {
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-root-\(getpid()).pem")
        let text = shared.root.base64EncodedString(options: .lineLength64Characters)
        try? "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n".write(
            to: file, atomically: true, encoding: .utf8)
        return file.path
    }()

    let root: Data

    private init() throws {
        let file = try JSONDecoder().decode(
            File.self, from: Data(try RepositoryFile.read(Self.path).utf8))
        (bundleID, appAppleID, vectors) = (file.bundleId, file.appAppleId, file.vectors)
        (root, chain) = (file.root, file.x5c)
        key = try P256.Signing.PrivateKey(pemRepresentation: file.key)
        roots = try #require(AppStoreRoots(Array(file.root)))
    }

    func vector(_ name: String) throws -> String { try #require(vectors.first { $0.name == name }).jws }

    func sign(_ payload: [String: Any]) throws -> String {
        let header = try JSONSerialization.data(withJSONObject: ["alg": "ES256", "x5c": chain])
        let body = try JSONSerialization.data(withJSONObject: payload, options: .sortedKeys)
        let signed = "\(header.base64URL).\(body.base64URL)"
        let signature = try key.signature(for: Data(signed.utf8))
        return "\(signed).\(signature.rawRepresentation.base64URL)"
    }
}
