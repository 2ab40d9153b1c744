import Crypto
import Foundation
import Kernel
package import Web

/// A sign-in with a provider that a browser began. All that must come back derives from one secret in its
/// cookie, so that Kith keeps nothing of attempts.
package struct OpenIDAttempt: Sendable {
    package static let cookieName = "__Host-kith-openid"
    /// For how long the browser keeps the cookie, in seconds.
    package static let lifetime = 600

    private let secret: SecretText
    /// The path to which the person goes afterwards.
    package let returnPath: ReturnPath

    package init(world: World, returnPath: ReturnPath) {
        secret = SecretText(world: world)
        self.returnPath = returnPath
    }

    /// Reads a cookie. Nil if it is none of these.
    package init?(cookie: String) {
        let parts = cookie.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let secret = SecretText(parts[0]),
            let path = Base64URL.decode(Array(parts[1].utf8)[...])
        else { return nil }
        self.secret = secret
        returnPath = ReturnPath(String(decoding: path, as: UTF8.self))
    }

    package var cookie: String { "\(secret.text).\(Base64URL.encode(Array(returnPath.text.utf8)))" }

    /// What the provider sends back with the browser, so that no other site can end a sign-in here.
    package var state: String { secret.derived(for: "state") }
    /// What the ID token must repeat.
    var nonce: String { secret.derived(for: "nonce") }
    /// What proves that whoever redeems the code began this sign-in (RFC 7636).
    var verifier: String { secret.derived(for: "verifier") }
    var challenge: String { Base64URL.encode(Array(SHA256.hash(data: Data(verifier.utf8)))) }
}

/// A path of the console to which somebody goes after they signed in.
package struct ReturnPath: Equatable, Sendable {
    package let text: String

    /// Anything but a path of this origin becomes `/`. Browsers take `//` and `/\` for another host, and
    /// leave out tabs and line ends.
    package init(_ text: String?) {
        let isPath =
            text.map { text in
                text.utf8.first == UInt8(ascii: "/") && !text.utf8.dropFirst().starts(with: "/".utf8)
                    && text.utf8.allSatisfy { $0.isVisibleASCII && $0 != UInt8(ascii: "\\") }
                    && text.utf8.count <= 1024
            } ?? false
        self.text = isPath ? text ?? "/" : "/"
    }
}
