import Foundation
package import Kernel
import Web

/// Whom a provider says somebody is, verified.
package struct OpenIDIdentity: Equatable, Sendable {
    /// A mail address that the provider has verified.
    package let email: EmailAddress
    package let groups: [String]
}

/// Why nobody is signed in with a provider.
package enum OpenIDError: Error, Equatable {
    /// The provider cannot be reached, or is not what the settings say. The person may try again.
    case away(String)
    /// - Parameter detail: for the log alone.
    case refused(SignInRefusal, detail: String)
}

/// The claims of an ID token beside those of `TokenClaims`.
struct OpenIDClaims: Decodable {
    let nonce: String?
    let azp: String?
    /// Whether the token is for others, too.
    let isForOthers: Bool
    let email: String?
    let isVerified: Bool
    let groups: [String]

    private enum CodingKeys: String, CodingKey {
        case nonce, azp, aud, email, groups
        case isVerified = "email_verified"
    }

    init(from decoder: any Decoder) throws {
        let claims = try decoder.container(keyedBy: CodingKeys.self)
        nonce = try claims.decodeIfPresent(String.self, forKey: .nonce)
        azp = try claims.decodeIfPresent(String.self, forKey: .azp)
        isForOthers = ((try? claims.decode([String].self, forKey: .aud)) ?? []).count > 1
        email = try claims.decodeIfPresent(String.self, forKey: .email)
        // Some providers write it as a text.
        isVerified =
            (try? claims.decode(Bool.self, forKey: .isVerified))
            ?? ((try? claims.decode(String.self, forKey: .isVerified)) == "true")
        groups = (try? claims.decode([String].self, forKey: .groups)) ?? []
    }

    /// Returns whom they name. Throws unless they are of this attempt and client, with a verified address.
    func identity(_ attempt: OpenIDAttempt, client: String) throws(OpenIDError) -> OpenIDIdentity {
        guard let nonce, nonce.hasSameBytes(as: attempt.nonce) else {
            throw .refused(.tokenInvalid, detail: "nonce is of another sign-in")
        }
        // A token for several must say for which it was made
        // (https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation).
        guard azp.map({ $0.hasSameBytes(as: client) }) ?? !isForOthers else {
            throw .refused(.tokenInvalid, detail: "azp is another client, or missing")
        }
        guard isVerified, let address = email.flatMap(EmailAddress.init) else {
            throw .refused(.mailUnverified, detail: "email_verified is not true, or email is none")
        }
        return OpenIDIdentity(email: address, groups: groups)
    }
}
