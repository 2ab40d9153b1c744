import Foundation
import Web

/// The claims that Kith reads; it ignores all others.
struct TokenClaims: Decodable {
    let iss: String
    let aud: [String]?
    let azp: String?
    let clientID: String?
    let uid: UID
    let exp: NumericDate
    let iat: NumericDate
    let nbf: NumericDate?
    let authTime: NumericDate?

    private struct Name: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }

        init(_ text: String) { stringValue = text }
    }

    init(from decoder: any Decoder) throws {
        let claims = try decoder.container(keyedBy: Name.self)
        iss = try claims.decode(String.self, forKey: Name("iss"))
        // By RFC 7519 §4.1.3 this is an array, or a single string.
        aud =
            try (try? claims.decodeIfPresent(String.self, forKey: Name("aud")).map { [$0] })
            ?? claims.decodeIfPresent([String].self, forKey: Name("aud"))
        azp = try claims.decodeIfPresent(String.self, forKey: Name("azp"))
        // Some clients have another name there, so this counts only if it is asked for.
        clientID = try? claims.decodeIfPresent(String.self, forKey: Name("client_id"))
        let name = Name(decoder.userInfo[.uidClaim] as? String ?? "sub")
        uid =
            (try? claims.decode(String.self, forKey: name)).map(UID.text)
            ?? (claims.contains(name) ? .noText : .missing)
        exp = try claims.decode(NumericDate.self, forKey: Name("exp"))
        iat = try claims.decode(NumericDate.self, forKey: Name("iat"))
        nbf = try claims.decodeIfPresent(NumericDate.self, forKey: Name("nbf"))
        authTime = try claims.decodeIfPresent(NumericDate.self, forKey: Name("auth_time"))
    }

    /// The claim that is the uid. Its description does not show it, since logs name no user.
    enum UID: CustomStringConvertible {
        case text(String)
        case missing
        case noText

        var description: String {
            switch self {
            case .text(let text): "a text of \(text.unicodeScalars.count) characters"
            case .missing: "missing"
            case .noText: "no text"
            }
        }
    }

    /// A number of seconds since 1970, whole or not (RFC 7519 §2).
    struct NumericDate: Decodable {
        let date: Date

        init(from decoder: any Decoder) throws {
            // Anybody can write a number into a token, even one that no calendar has.
            let seconds = try decoder.singleValueContainer().decode(Double.self)
            date = Date(
                timeIntervalSince1970: min(max(seconds, JSON.years.lowerBound), JSON.years.upperBound))
        }
    }

    /// Returns for whom the token is by this claim, and by the others that say so: one of them may be what
    /// the setting should be.
    func recipients(by claim: AuthConfig.AudienceClaim) -> String {
        let all: [(claim: AuthConfig.AudienceClaim, text: String?)] = [
            (
                .aud,
                aud.map {
                    $0.count == 1 ? $0[0].quoted : "[\($0.prefix(5).map(\.quoted).joined(separator: ", "))]"
                }
            ),
            (.azp, azp?.quoted), (.clientID, clientID?.quoted),
        ]
        let others = all.compactMap { one in
            one.claim == claim ? nil : one.text.map { "\(one.claim.rawValue) \($0)" }
        }
        let own = all.first { $0.claim == claim }?.text ?? "missing"
        return others.isEmpty ? own : "\(own) (\(others.joined(separator: ", ")))"
    }
}

extension CodingUserInfoKey {
    // This is a valid name, made once at its first use.
    // swift-format-ignore: NeverForceUnwrap
    static let uidClaim = CodingUserInfoKey(rawValue: "uid claim")!
}
