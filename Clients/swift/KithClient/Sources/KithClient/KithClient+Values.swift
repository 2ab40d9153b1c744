import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// Updates, remote values and experiments: for the app, whoever uses it.
extension KithClient {
    /// Judges whether the server signed an answer: its bytes, and the signature.
    public typealias SignatureCheck = @Sendable (_ body: Data, _ signature: Data) -> Bool

    /// Asks what the app is to do about a newer version. It never fails and waits ten seconds at most:
    /// without an answer, what was answered before is good until it expires, a `block` for longer, and then
    /// there is nothing to do. Call it at each start, and when the app comes back after an hour.
    /// - Parameters:
    ///   - app: what it says of itself.
    ///   - isGenuine: if given, an answer that it refuses, or that has no signature, counts for nothing.
    public func updatePolicy(
        _ app: AppFacts = .ofThisApp, isGenuine: SignatureCheck? = nil
    ) async -> UpdatePolicy {
        let installation = try? await installation.id
        let call = Call(
            path: "/v1/policy", query: app.query + [("installationId", installation)], isOfApp: true)
        let read = { (data: Data) throws -> UpdatePolicy in
            let policy = try KithJSON.decode(UpdatePolicy.self, from: data)
            guard policy.isFor(app) else { throw NotForThisApp() }
            return policy
        }
        let answered = try? await ask(call, keeping: "policy") { data, response in
            guard let isGenuine else { return try read(data) }
            let signature = response.value(forHTTPHeaderField: "Kith-Signature")
            guard let signature = signature.flatMap({ Data(base64Encoded: $0) }), isGenuine(data, signature)
            else { throw NotForThisApp() }
            return try read(data)
        } ofKept: {
            try read($0)
        }
        guard let policy = answered else { return .none }
        return policy.expiresAt > Date() || policy.action == .block ? policy : .none
    }

    private struct NotForThisApp: Error {}

    /// Asks for all remote values, and which variations of experiments this installation is in. It never
    /// fails and waits ten seconds at most: without an answer, it gives what was answered before, and at
    /// first nothing, so that the app uses what it has built in. Say by `expose(_:in:)` that a variation was
    /// used.
    /// - Parameter unit: who is in experiments: by default this installation; or the uid of who is signed in, with their ID token. Then give it
    ///   always: an account is in an experiment by no other word.
    public func values(_ app: AppFacts = .ofThisApp, unit: String? = nil) async -> RemoteValues {
        let isUser = unit != nil
        let unit = await experimentUnit(unit)
        let call = Call(
            path: "/v1/values", query: [("unit", unit)] + app.query, isOfApp: true, isAboutUser: isUser)
        let found = try? await ask(call, keeping: "values", question: unit ?? "") { data, _ in
            try KithJSON.decode(RemoteValues.self, from: data)
        } ofKept: {
            try KithJSON.decode(RemoteValues.self, from: $0)
        }
        await sendExposures()
        return found ?? .none
    }

    /// Says that the installation used its variation of an experiment: call it where the user sees the
    /// difference, as often as they do. It is sent once. Without a connection it waits, also for the next
    /// start; `values` sends it, too.
    /// - Parameter unit: as in `values`.
    public func expose(_ experiment: String, in values: RemoteValues, unit: String? = nil) async {
        let found = values.experiments.first { $0.experiment == experiment }
        guard let found, let unit = await experimentUnit(unit) else { return }
        await exposures.add(
            Exposure(
                unit: unit, experiment: experiment, phase: found.phase, variation: found.variation,
                assignment: found.assignment))
        await sendExposures()
    }

    private func experimentUnit(_ unit: String?) async -> String? {
        if let unit { return unit }
        // Without storage it would be another one at each start, so it is in no experiment.
        return try? await installation.id
    }

    private func sendExposures() async {
        let own = try? await installation.id
        await exposures.flush { [self] exposure in
            _ = try await answer(
                Call(
                    method: "POST", path: "/v1/exposures", body: exposure, isOfApp: true,
                    isAboutUser: exposure.unit != own))
        }
    }
}

/// The last answer to a question, for when there is no other.
private struct KeptAnswer: Codable {
    /// To another one it is none.
    var question: String
    var etag: String?
    var body: Data
}

extension KithClient {
    /// Asks, and keeps the answer; if there is none, or none that `read` takes, gives what was kept.
    /// - Parameters:
    ///   - key: of the storage.
    ///   - question: by default the call.
    ///   - ofKept: reads what was answered before.
    fileprivate func ask<Answer>(
        _ call: Call, keeping key: String, question: String? = nil,
        read: (Data, HTTPURLResponse) throws -> Answer, ofKept: (Data) throws -> Answer
    ) async throws -> Answer {
        var call = call
        let question = question ?? call.query.map { "\($0)=\($1 ?? "")" }.joined(separator: "&")
        let stored = storage.value(KeptAnswer.self, key)
        let kept = stored?.question == question ? stored : nil
        call.etag = kept?.etag
        do {
            let (data, response) = try await answer(call)
            if response.statusCode == 304, let kept { return try ofKept(kept.body) }
            let found = try read(data, response)
            let etag = response.value(forHTTPHeaderField: "ETag")
            try? storage.store(KeptAnswer(question: question, etag: etag, body: data), key)
            return found
        } catch {
            guard let kept else { throw error }
            return try ofKept(kept.body)
        }
    }
}
