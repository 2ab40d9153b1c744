package import Foundation
import Web

/// The algorithms by which a token may be signed. `none` is not among them, nor is a shared secret that could
/// be confused with a public key.
enum SignatureAlgorithm: String, Hashable, CaseIterable, Sendable {
    case rs256 = "RS256"
    case es256 = "ES256"
    case es384 = "ES384"
    /// EdDSA with the curve Ed25519 only.
    case eddsa = "EdDSA"

    /// Finds an algorithm by name. RFC 9864 also names one by its curve.
    init?(name: String) {
        self.init(rawValue: name == "Ed25519" ? Self.eddsa.rawValue : name)
    }

    static func names(_ some: Set<Self> = Set(allCases)) -> String {
        allCases.filter(some.contains).map(\.rawValue).joined(separator: ", ")
    }
}

/// The parts of a token in compact form (RFC 7515 §3.1), parsed strictly, but not yet verified.
package struct JWS {
    /// The most bytes, 8 KiB. A Firebase token has about 1 KiB.
    static let maxLength = 8192

    let key: KeyID
    package let payload: Data
    let signature: Data
    /// The signed bytes: the first two parts as they were sent.
    let signed: Data

    package init(_ text: String) throws(IDTokenError) {
        guard text.utf8.count <= Self.maxLength else { throw .malformed("longer than 8 KiB") }
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed("not three parts") }
        key = try Self.key(try Self.object(parts[0], "header"))
        payload = try Self.object(parts[1], "payload")
        guard let signature = Base64URL.decode(parts[2]) else { throw .malformed("signature: not base64url") }
        self.signature = Data(signature)
        signed = Data(bytes[..<parts[1].endIndex])
    }

    /// - Parameter uidClaim: the name of the claim that is the uid.
    func claims(uidClaim: String = "sub") throws(IDTokenError) -> TokenClaims {
        let decoder = JSONDecoder()
        decoder.userInfo[.uidClaim] = uidClaim
        do {
            return try decoder.decode(TokenClaims.self, from: payload)
        } catch {
            throw .malformed("payload: \(Self.place(of: error))")
        }
    }

    /// The fields of the header that Kith reads. Fields that name a key (`jwk`, `jku`, `x5c`, `x5u`) are not
    /// among them: a token does not decide who may sign it.
    private struct Header: Decodable {
        let kid: String?
        let typ: String?
        let crit: [String]?
    }

    private struct Algorithm: Decodable {
        let alg: String
    }

    /// The types of an ID token, and of an access token (RFC 9068), which providers also give for an API such
    /// as Kith.
    private static let types = ["JWT", "AT+JWT", "APPLICATION/AT+JWT"]

    private static func key(_ header: Data) throws(IDTokenError) -> KeyID {
        // The algorithm is checked first, since tokens signed otherwise have other headers: an HS256 token
        // has no `kid` to look for.
        let name = try decode(Algorithm.self, header).alg
        guard let algorithm = SignatureAlgorithm(name: name) else {
            throw .algorithm(name, wanted: SignatureAlgorithm.names())
        }
        let header = try decode(Header.self, header)
        guard header.kid != "" else { throw .malformed("header: kid") }
        // RFC 7515 §4.1.11: critical extensions that are not understood must be refused, and Kith understands
        // none.
        guard header.crit == nil else { throw .malformed("header: crit") }
        if let typ = header.typ, !types.contains(typ.uppercased()) {
            throw .claim("typ", came: typ.quoted, wanted: "JWT or at+jwt")
        }
        return KeyID(kid: header.kid, algorithm: algorithm)
    }

    private static func decode<Part: Decodable>(_ type: Part.Type, _ header: Data) throws(IDTokenError)
        -> Part
    {
        do {
            return try JSONDecoder().decode(type, from: header)
        } catch {
            throw .malformed("header: \(place(of: error))")
        }
    }

    /// Decodes one JSON object in UTF-8, without repeated keys.
    private static func object(_ part: ArraySlice<UInt8>, _ name: String) throws(IDTokenError) -> Data {
        guard let bytes = Base64URL.decode(part) else { throw .malformed("\(name): not base64url") }
        do {
            try JSONScan.check(bytes)
        } catch {
            throw .malformed("\(name): \(error)")
        }
        return Data(bytes)
    }

    private static func place(of error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): key.stringValue
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            context.codingPath.first?.stringValue ?? "not JSON"
        default: "not JSON"
        }
    }
}
