import Foundation
import Testing

@testable import AppTesting
@testable import Growth

/// What is believed of what Apple signs: as Apple's own library says, which `scripts/check-appstore` asks.
struct AppStoreVerifierTests {
    private static let signer = AppStoreSigner.shared
    private static let verifier = AppStoreVerifier(
        roots: signer.roots, bundleID: signer.bundleID, appStoreID: String(signer.appAppleID))

    private func verdict(
        _ vector: AppStoreSigner.Vector, _ environment: OfferCampaign.Environment?,
        _ verifier: AppStoreVerifier = verifier
    ) async -> String {
        do throws(AppStoreVerifier.Refusal) {
            if vector.kind == "transaction" {
                _ = try await verifier.transaction(vector.jws, in: environment)
            } else {
                _ = try await verifier.notification(vector.jws, in: environment)
            }
            return "OK"
        } catch {
            return error.rawValue
        }
    }

    @Test(arguments: signer.vectors)
    func `the verdict is that of Apple's own library`(vector: AppStoreSigner.Vector) async throws {
        #expect(vector.verdicts.count == 2)
        for (name, expected) in vector.verdicts {
            let environment = try #require(OfferCampaign.Environment(appStoreName: name))
            #expect(await verdict(vector, environment) == expected, "\(name)")
        }
    }

    @Test func `a server takes what Apple's library takes of either environment, and nothing else`() async {
        for vector in Self.signer.vectors {
            let isGood = vector.verdicts.values.contains("OK")
            #expect(await (verdict(vector, nil) == "OK") == isGood, "\(vector.name)")
        }
    }

    @Test func `without the number of the app nothing of production is taken`() async throws {
        let verifier = AppStoreVerifier(roots: Self.signer.roots, bundleID: Self.signer.bundleID)
        let found = try ["a transaction", "a notification of the sandbox"].map { name in
            try #require(Self.signer.vectors.first { $0.name == name })
        }
        #expect(await verdict(found[0], nil, verifier) == "NO_APP_STORE_ID")
        #expect(await verdict(found[1], nil, verifier) == "OK")
    }

    @Test func `roots are one certificate in DER, or several in PEM`() throws {
        let root = Self.signer.root
        let pem = try String(contentsOfFile: AppStoreSigner.rootFile, encoding: .utf8)
        #expect(AppStoreRoots(Array(root))?.certificates.count == 1)
        #expect(AppStoreRoots(Array((pem + pem).utf8))?.certificates.count == 2)
        for junk in [[], Array("junk".utf8), Array(root.dropLast()), Array(pem.dropLast(40).utf8)] {
            #expect(AppStoreRoots(junk) == nil)
        }
    }
}
