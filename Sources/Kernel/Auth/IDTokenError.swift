import Foundation

/// Why a token was refused. Only the log gets all of this; see `TokenVerifier.verify`.
package enum IDTokenError: Error, Equatable {
    /// The text is not a token, or is one that two parsers could read differently.
    case malformed(String)
    case algorithm(String, wanted: String)
    /// The provider has no such key. Nil if the token names none, and not exactly one can have signed it.
    case unknownKey(String?)
    /// The provider does not have the key as far as Kith knows, but may have it by now. It can be asked again
    /// after these seconds.
    case keyPostponed(String?, retryAfter: Int)
    case signature
    case claim(String, came: String, wanted: String)
    /// The token has expired, whoever issued it, and for whom. The claim `exp` is checked first, so that this
    /// tells nothing about the others.
    case expired
    /// The provider's keys were never fetched, or too long ago. The token may be valid.
    case keysUnavailable
}

extension IDTokenError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let part): "malformed: \(part)"
        case .algorithm(let name, let wanted):
            "alg is \(name.quoted), wanted \(wanted)"
                + (name.hasPrefix("HS") ? "; a shared secret could also issue tokens" : "")
        case .unknownKey(let kid?): "kid is \(kid.quoted), which is no key of the issuer for this alg"
        case .unknownKey(nil): "kid is missing, and the issuer has not exactly one key for this alg"
        case .keyPostponed(let kid, let seconds):
            "kid is \(kid?.quoted ?? "missing"), no key of the issuer that is known; it is asked again in \(seconds) s"
        case .signature: "the signature is not the issuer's"
        case .claim(let name, let came, let wanted): "\(name) is \(came), wanted \(wanted)"
        case .expired: "expired"
        case .keysUnavailable: "the issuer's keys are unavailable"
        }
    }
}

extension String {
    /// The text for the log: in quotes, and not long.
    package var quoted: String { String(prefix(100)).debugDescription + (count > 100 ? "…" : "") }
}
