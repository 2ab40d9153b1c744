import Crypto
import Foundation
import SwiftASN1
import Web
@_spi(FixedExpiryValidationTime) import X509

/// Verifies what the App Store signs, by the rules of Apple's own libraries without their online checks
/// (https://github.com/apple/app-store-server-library-python, signed_data_verifier.py).
/// `scripts/check-appstore` compares the two.
package struct AppStoreVerifier: Sendable {
    package let roots: AppStoreRoots
    package let bundleID: String
    /// The app's number in the App Store, which is needed only for what is signed in production.
    package var appStoreID: String?

    package init(roots: AppStoreRoots, bundleID: String, appStoreID: String? = nil) {
        self.roots = roots
        self.bundleID = bundleID
        self.appStoreID = appStoreID
    }

    /// Why a signature is not believed, with the names of Apple's libraries.
    enum Refusal: String, Error, CaseIterable {
        case signature = "VERIFICATION_FAILURE"
        case certificate = "INVALID_CERTIFICATE"
        case chainLength = "INVALID_CHAIN_LENGTH"
        case otherApp = "INVALID_APP_IDENTIFIER"
        case otherEnvironment = "INVALID_ENVIRONMENT"
        /// The number of the app in the App Store is not set.
        case noAppStoreID = "NO_APP_STORE_ID"
    }

    private struct Header: Decodable {
        var alg: String?
        var x5c: [String]?
    }

    private struct Dates: Decodable {
        var signedDate: Double?
        var receiptCreationDate: Double?
    }

    /// Returns the payload of a JWS that Apple signed, whatever it is about.
    func payload(of text: String) async throws(Refusal) -> Data {
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Self.object(parts[0]), let payload = Self.object(parts[1]),
            let header = try? JSONDecoder().decode(Header.self, from: head),
            let dates = try? JSONDecoder().decode(Dates.self, from: payload),
            let certificates = header.x5c, !certificates.isEmpty, header.alg == "ES256",
            let raw = Base64URL.decode(parts[2]),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
        else { throw .signature }
        let time = (dates.signedDate ?? dates.receiptCreationDate).map { ($0 / 1000).rounded(.down) }
        let leaf = try await leaf(of: certificates, at: time)
        guard let key = P256.Signing.PublicKey(leaf.publicKey),
            key.isValidSignature(signature, for: Data(bytes[..<parts[1].endIndex]))
        else { throw .signature }
        return payload
    }

    /// Decodes one JSON object, without repeated keys.
    private static func object(_ part: ArraySlice<UInt8>) -> Data? {
        guard let bytes = Base64URL.decode(part), (try? JSONScan.check(bytes)) != nil else { return nil }
        return Data(bytes)
    }

    /// Returns the certificate that signed, if a root of ours vouches for it at that time.
    /// - Parameters:
    ///   - certificates: the chain in base64. The third, a root, is not read: only our roots count.
    ///   - time: seconds since 1970. Nil for now. Certificates that have expired since then are accepted.
    private func leaf(of certificates: [String], at time: Double?) async throws(Refusal) -> Certificate {
        guard certificates.count == 3 else { throw .chainLength }
        let chain = certificates.prefix(2).compactMap { text in
            Data(base64Encoded: text).flatMap { try? Certificate(derEncoded: Array($0)) }
        }
        guard chain.count == 2 else { throw .certificate }
        let time = time ?? Date().timeIntervalSince1970
        // No certificate is valid at a time that a certificate cannot state.
        guard (0..<253_402_300_800).contains(time) else { throw .signature }
        var verifier = Verifier(rootCertificates: CertificateStore(roots.certificates)) {
            RFC5280Policy(fixedExpiryValidationTime: Date(timeIntervalSince1970: time))
            AppStoreChainPolicy()
        }
        let result = await verifier.validate(leaf: chain[0], intermediates: CertificateStore([chain[1]]))
        guard case .validCertificate = result else { throw .signature }
        return chain[0]
    }
}

/// The certificates of Apple that the operator trusts (https://www.apple.com/certificateauthority/).
package struct AppStoreRoots: Sendable {
    let certificates: [Certificate]

    /// Nil unless the bytes are one certificate in DER, as Apple gives them, or one or more in PEM.
    package init?(_ bytes: [UInt8]) {
        if let one = try? Certificate(derEncoded: bytes) {
            certificates = [one]
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let documents = try? PEMDocument.parseMultiple(pemString: text), !documents.isEmpty,
            let all = try? documents.map({ try Certificate(pemDocument: $0) })
        else { return nil }
        certificates = all
    }
}

/// A policy that wants three certificates with Apple's marks, and is as strict as OpenSSL with
/// `X509_V_FLAG_X509_STRICT`.
private struct AppStoreChainPolicy: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = []

    /// Apple's marks of certificates that sign receipts, and of the authority that issues them.
    private static let leaf: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
    private static let intermediate: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        let chain = Array(chain)
        guard chain.count == 3, chain[0].extensions[oid: Self.leaf] != nil,
            chain[1].extensions[oid: Self.intermediate] != nil
        else { return .failsToMeetPolicy(reason: "not a chain of the App Store") }
        guard chain[1...].allSatisfy(Self.isStrictAuthority), !Self.signsCertificates(chain[0]),
            zip(chain, chain.dropFirst()).allSatisfy(Self.names)
        else { return .failsToMeetPolicy(reason: "not strictly by RFC 5280") }
        return .meetsPolicy
    }

    private static func isStrictAuthority(_ certificate: Certificate) -> Bool {
        signsCertificates(certificate) && subjectKey(certificate) != nil
    }

    private static func signsCertificates(_ certificate: Certificate) -> Bool {
        (try? certificate.extensions.keyUsage)?.keyCertSign == true
    }

    /// Whether a certificate names the key of its issuer.
    private static func names(_ certificate: Certificate, issuer: Certificate) -> Bool {
        guard let named = (try? certificate.extensions.authorityKeyIdentifier)?.keyIdentifier else {
            return false
        }
        return named == subjectKey(issuer)
    }

    private static func subjectKey(_ certificate: Certificate) -> ArraySlice<UInt8>? {
        (try? certificate.extensions.subjectKeyIdentifier)?.keyIdentifier
    }
}
