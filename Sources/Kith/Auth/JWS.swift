import Foundation

/// The algorithms by which a token may be signed: neither `none`, nor a shared secret to confuse with a public key.
enum SignatureAlgorithm: String, Hashable, Sendable {
    case rs256 = "RS256"
    case es256 = "ES256"
}

/// The parts of a token in compact form (RFC 7515 §3.1), parsed strictly, but not yet verified.
struct JWS {
    /// 8 KiB; a Firebase token is about 1 KiB.
    static let maxLength = 8192

    let key: KeyID
    let payload: Data
    let signature: Data
    /// The signed bytes: the first two parts as they were sent.
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

    /// Leaves out fields that name a key (`jwk`, `jku`, `x5c`, `x5u`): a token does not decide who may sign it.
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
        // RFC 7515 §4.1.11: critical extensions that are not understood must be refused; Kith understands none.
        guard header.crit == nil else { throw .malformed("header: crit") }
        // An access token (`at+jwt`, RFC 9068) does not identify the user.
        guard header.typ.map({ $0.uppercased() == "JWT" }) ?? true else { throw .malformed("header: typ") }
        return header
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
