import Foundation

/// How a token may be signed. There is no `none` and no shared secret to confuse with a public key.
enum SignatureAlgorithm: String, Hashable, Sendable {
    case rs256 = "RS256"
    case es256 = "ES256"
}

/// The parts of a token in compact form (RFC 7515 §3.1), read strictly, not yet trusted.
struct JWS {
    /// 8 KiB; a Firebase token is about 1 KiB.
    static let maxLength = 8192

    let key: KeyID
    let payload: Data
    let signature: Data
    /// What the signature is over: the first two parts as they were sent.
    let signed: Data

    init(_ text: String) throws(IDTokenError) {
        guard text.utf8.count <= Self.maxLength else { throw .malformed("longer than 8 KiB") }
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed("not three parts") }
        let header = try Self.header(try Self.object(parts[0], "header"))
        guard let algorithm = SignatureAlgorithm(rawValue: header.alg) else { throw .algorithm(header.alg) }
        key = KeyID(kid: header.kid, algorithm: algorithm)
        payload = try Self.object(parts[1], "payload")
        guard let signature = Base64URL.decode(parts[2]) else { throw .malformed("signature: not base64url") }
        self.signature = Data(signature)
        signed = Data(bytes[..<parts[1].endIndex])
    }

    func claims() throws(IDTokenError) -> TokenClaims {
        do {
            return try JSONDecoder().decode(TokenClaims.self, from: payload)
        } catch {
            throw .malformed("payload: \(Self.place(of: error))")
        }
    }

    /// Fields that name a key (`jwk`, `jku`, `x5c`, `x5u`) are not among them: a token does not say who
    /// may sign it.
    private struct Header: Decodable {
        let alg: String
        let kid: String
        let typ: String?
        let crit: [String]?
    }

    private static func header(_ data: Data) throws(IDTokenError) -> Header {
        let header: Header
        do {
            header = try JSONDecoder().decode(Header.self, from: data)
        } catch {
            throw .malformed("header: \(place(of: error))")
        }
        guard !header.kid.isEmpty else { throw .malformed("header: kid") }
        // RFC 7515 §4.1.11: what is critical and not understood is refused; nothing is understood here.
        guard header.crit == nil else { throw .malformed("header: crit") }
        // An access token (`at+jwt`, RFC 9068) is not about who the user is.
        guard header.typ.map({ $0.uppercased() == "JWT" }) ?? true else { throw .malformed("header: typ") }
        return header
    }

    /// One JSON object without repeated keys, in UTF-8.
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
