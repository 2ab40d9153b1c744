import Foundation

/// Reads what the App Store signs, and checks that it is for our app.
extension AppStoreVerifier {
    /// - Parameter environment: the only environment to take. Nil for production and the sandbox.
    func notification(
        _ signedPayload: String, in environment: OfferCampaign.Environment? = nil
    ) async throws(Refusal) -> AppStoreNotification {
        let read: AppStoreNotification = try Self.decode(try await payload(of: signedPayload))
        let subject = read.subject
        try require(
            subject?.bundleId, subject?.appAppleId, read.environment, environment, isNotification: true)
        return read
    }

    func transaction(
        _ signedTransaction: String, in environment: OfferCampaign.Environment? = nil
    ) async throws(Refusal) -> AppStoreTransaction {
        let read: AppStoreTransaction = try Self.decode(try await payload(of: signedTransaction))
        try require(read.bundleId, nil, read.environment, environment, isNotification: false)
        return read
    }

    /// Reads a renewal. Apple does not say its app there, but in the notification that contains it.
    func renewal(
        _ signedRenewal: String, in environment: OfferCampaign.Environment
    ) async throws(Refusal) -> AppStoreRenewal {
        let read: AppStoreRenewal = try Self.decode(try await payload(of: signedRenewal))
        guard read.environment == environment.appStoreName else { throw .otherEnvironment }
        return read
    }

    private func require(
        _ bundle: String?, _ app: Int64?, _ named: String?, _ wanted: OfferCampaign.Environment?,
        isNotification: Bool
    ) throws(Refusal) {
        let environment = wanted ?? .init(appStoreName: named)
        if environment == .production, appStoreID == nil { throw .noAppStoreID }
        guard bundle == bundleID,
            !isNotification || environment != .production || app.map(String.init) == appStoreID
        else { throw .otherApp }
        guard let environment, environment.appStoreName == named else { throw .otherEnvironment }
    }

    private static func decode<Value: Decodable>(_ data: Data) throws(Refusal) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        do { return try decoder.decode(Value.self, from: data) } catch { throw .signature }
    }
}

extension OfferCampaign.Environment {
    /// Reads an environment as Apple writes it. Nil for Xcode's own, `Xcode` and `LocalTesting`, since nobody
    /// signs those.
    init?(appStoreName: String?) {
        guard let one = Self.allCases.first(where: { $0.appStoreName == appStoreName }) else { return nil }
        self = one
    }

    var appStoreName: String {
        switch self {
        case .production: "Production"
        case .sandbox: "Sandbox"
        }
    }
}
