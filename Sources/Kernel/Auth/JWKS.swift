import Foundation
import JWTKit

/// The identity provider's public keys, ready to verify tokens.
struct JWKS: Sendable {
    /// A number that changes with the keys, so that tokens verified with old ones can be dropped.
    let version: Int
    private let keys: [KeyID: [any JWTAlgorithm]]

    /// Reads a JWKS (RFC 7517 §5). Leaves out keys that are invalid, too weak, not for signatures or of
    /// another kind. Throws if the document is not a JWKS or no key is left.
    init(jwks: Data, version: Int = 0) async throws {
        var keys: [KeyID: [any JWTAlgorithm]] = [:]
        for key in try JSONDecoder().decode(Document.self, from: jwks).keys.compactMap(\.key) {
            guard let (name, algorithm) = await key.verifier() else { continue }
            keys[name, default: []].append(algorithm)
        }
        guard !keys.isEmpty else { throw NoUsableKey() }
        self.keys = keys
        self.version = version
    }

    struct NoUsableKey: Error, CustomStringConvertible {
        var description: String { "it has no key for \(SignatureAlgorithm.names())" }
    }

    func contains(_ name: KeyID) -> Bool { !keys(of: name).isEmpty }

    /// Whether a key has the id but another algorithm, or the name fits several keys. Then a fetch brings
    /// nothing better.
    func refutes(_ name: KeyID) -> Bool {
        keys.keys.contains { name.kid == nil ? $0.algorithm == name.algorithm : $0.kid == name.kid }
    }

    /// Whether one of the keys that the token names signed it. A provider may give two keys the same id.
    func verifies(_ token: JWS) -> Bool {
        keys(of: token.key).contains { key in
            (try? key.verify(token.signature, signs: token.signed)) ?? false
        }
    }

    /// Returns the keys that a token with this header names. Without an id it is the only key for its
    /// algorithm (OpenID Connect Core §10.1).
    private func keys(of name: KeyID) -> [any JWTAlgorithm] {
        if name.kid != nil { return keys[name] ?? [] }
        let all = keys.filter { $0.key.algorithm == name.algorithm }.flatMap(\.value)
        return all.count == 1 ? all : []
    }
}

/// A key's id and its algorithm, so that no token can use a key with another algorithm.
struct KeyID: Hashable, Sendable {
    /// The key's id. Nil if the token or the key has none.
    let kid: String?
    let algorithm: SignatureAlgorithm
}

extension JWKS {
    private struct Document: Decodable {
        let keys: [Entry]
    }

    /// An element of any form, so that one invalid key does not spoil the others.
    private struct Entry: Decodable {
        let key: Key?

        init(from decoder: any Decoder) {
            key = try? Key(from: decoder)
        }
    }

    private struct Key: Decodable {
        let kty: String
        let kid: String?
        let alg: String?
        let use: String?
        let crv: String?
        let n: String?
        let e: String?
        let x: String?
        let y: String?

        /// Makes the key a value of jwt-kit's own type. Its collection does that, since its signers have no
        /// public initialiser.
        func verifier() async -> (KeyID, any JWTAlgorithm)? {
            guard use == nil || use == "sig", kid != "", let (algorithm, jwk) = jwk else { return nil }
            let collection = JWTKeyCollection()
            guard (try? await collection.add(jwk: jwk)) != nil,
                let key = try? await collection.getKey(for: id)
            else { return nil }
            return (KeyID(kid: kid, algorithm: algorithm), key)
        }

        /// The id that jwt-kit wants. It is used in a collection with this key alone.
        private var id: JWKIdentifier { JWKIdentifier(string: kid ?? "") }

        /// The public half of the key. A private half in the document is ignored.
        private var jwk: (SignatureAlgorithm, JWK)? {
            guard let standard = standardAlgorithm,
                SignatureAlgorithm(name: alg ?? standard.rawValue) == standard
            else { return nil }
            switch standard {
            case .rs256: return (standard, .rsa(.rs256, identifier: id, modulus: n, exponent: e))
            case .es256: return (standard, .ecdsa(.es256, identifier: id, x: x, y: y, curve: .p256))
            case .es384: return (standard, .ecdsa(.es384, identifier: id, x: x, y: y, curve: .p384))
            case .eddsa:
                return (standard, .octetKeyPair(.eddsa, identifier: id, x: x, y: nil, curve: .ed25519))
            }
        }

        /// The algorithm that Kith assumes for a key of this kind, since `alg` is optional in a JWK (RFC 7517
        /// §4.4).
        private var standardAlgorithm: SignatureAlgorithm? {
            switch (kty, crv) {
            case ("RSA", _): .rs256
            case ("EC", "P-256"): .es256
            case ("EC", "P-384"): .es384
            case ("OKP", "Ed25519"): .eddsa
            default: nil
            }
        }
    }
}
