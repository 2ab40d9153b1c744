import Foundation
import Kernel
import Web

/// What a provider says of itself (https://openid.net/specs/openid-connect-discovery-1_0.html).
struct OpenIDDocument: Sendable {
    let authorizationEndpoint: String
    let tokenEndpoint: URL
    /// Where its keys are.
    let keys: String
    /// Nil if it does not say which scopes it knows.
    let scopes: [String]?
    /// Whether the client's secret goes into the header; else it goes into the body.
    let takesBasic: Bool

    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    /// Fetches the document of an issuer. Throws if it cannot be had, or is not that issuer's.
    init(of issuer: String, _ http: HTTPFetch) async throws {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        guard let url = URL(string: "\(base)/.well-known/openid-configuration") else {
            throw Mistake(description: "the issuer is no URL")
        }
        let answer = try await http.get(url)
        guard answer.status == 200 else {
            throw Mistake(description: "the document has status \(answer.status) instead of 200")
        }
        let given: Given
        do { given = try JSONDecoder().decode(Given.self, from: answer.body) } catch {
            throw Mistake(description: "the document is not one of OpenID Connect")
        }
        // Byte for byte, so that no other provider can pass for it.
        guard given.issuer.hasSameBytes(as: issuer) else {
            throw Mistake(description: "the document is of the issuer \(given.issuer.quoted)")
        }
        (authorizationEndpoint, _) = try Self.endpoint(given.authorizationEndpoint)
        (_, tokenEndpoint) = try Self.endpoint(given.tokenEndpoint)
        (keys, _) = try Self.endpoint(given.keys)
        scopes = given.scopes
        let methods = given.methods ?? ["client_secret_basic"]
        takesBasic = methods.contains("client_secret_basic")
        guard takesBasic || methods.contains("client_secret_post") else {
            throw Mistake(
                description: "it takes the secret neither by client_secret_basic nor by client_secret_post")
        }
    }

    private static func endpoint(_ text: String) throws(Mistake) -> (text: String, url: URL) {
        guard let written = WebURL(written: text), written.isSecureOrLocal, written.fragment == nil,
            let url = URL(string: text)
        else { throw Mistake(description: "\(text.quoted) is no https URL") }
        return (text, url)
    }

    private struct Given: Decodable {
        let issuer: String
        let authorizationEndpoint: String
        let tokenEndpoint: String
        let keys: String
        let scopes: [String]?
        let methods: [String]?

        enum CodingKeys: String, CodingKey {
            case issuer
            case authorizationEndpoint = "authorization_endpoint"
            case tokenEndpoint = "token_endpoint"
            case keys = "jwks_uri"
            case scopes = "scopes_supported"
            case methods = "token_endpoint_auth_methods_supported"
        }
    }
}
