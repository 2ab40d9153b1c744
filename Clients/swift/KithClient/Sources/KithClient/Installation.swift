import Foundation

/// An invite, for sign-up, resolve and accept.
public enum KithInvite: Codable, Hashable, Sendable {
    /// A link, as `handle(url:)` gave it.
    case link(URL)
    case code(String)
    case user(username: String, invitedBy: String? = nil)
    /// What `claimOnFirstLaunch` gave.
    case claim(KithClaim)

    /// Whether it may be somebody else's: ask the user "Did … invite you?", and on yes `accept` it.
    public var isLikely: Bool {
        if case .claim(let claim) = self { claim.confidence == .likely } else { false }
    }
}

/// What an app knows at its first start about the way it came.
public struct InstallEvidence: Hashable, Sendable {
    public enum Platform: String, Codable, Sendable { case ios, android }

    public var platform: Platform
    /// The bundle id or package, if the server has several apps.
    public var app: String?
    /// All that Google Play's Install Referrer gives.
    public var referrer: String?
    /// What the user pasted, by a press on `PasteButton` or `UIPasteControl`.
    public var pasteboard: String?
    /// System and language, such as `18.6` and `ja`; the server looks at them only if its operator turned it
    /// on.
    public var facts: Facts?

    public struct Facts: Codable, Hashable, Sendable {
        public var osVersion: String?
        public var language: String?

        public init(osVersion: String?, language: String?) {
            (self.osVersion, self.language) = (osVersion, language)
        }

        /// Those of this phone.
        public static var ofThisPhone: Facts {
            let version = ProcessInfo.processInfo.operatingSystemVersion
            return Facts(
                osVersion: "\(version.majorVersion).\(version.minorVersion)",
                language: Locale.preferredLanguages.first)
        }
    }

    public init(
        platform: Platform = .ios, app: String? = nil, referrer: String? = nil, pasteboard: String? = nil,
        facts: Facts? = nil
    ) {
        (self.platform, self.app, self.referrer) = (platform, app, referrer)
        (self.pasteboard, self.facts) = (pasteboard, facts)
    }
}

/// What this installation of the app must not forget before the sign-up.
actor Installation {
    private struct State: Codable {
        var installationId = UUID().uuidString.lowercased()
        /// The invite to sign up with: the link that was opened last, or else the claim.
        var invite: KithInvite?
        /// What `claim` gave, until the sign-up.
        var claim: KithClaim?
        /// What the server answered already: `referrer`, `facts`.
        var asked: Set<String> = []
    }

    private static let key = "installation"
    private let storage: any KithStorage
    private var state: State?
    private var claiming: Task<KithClaim?, any Error>?

    init(_ storage: any KithStorage) { self.storage = storage }

    private func read() throws -> State {
        if let state { return state }
        if let state = storage.value(State.self, Self.key) {
            self.state = state
            return state
        }
        return try write(State())
    }

    /// Stores before it remembers: the server must never see an id that a crash would lose.
    @discardableResult private func write(_ state: State) throws -> State {
        try storage.store(state, Self.key)
        self.state = state
        return state
    }

    /// Of this installation, the same until the app is removed.
    var id: String { get throws { try read().installationId } }

    var invite: KithInvite? { get throws { try read().invite } }

    func keep(_ invite: KithInvite) throws {
        var state = try read()
        guard state.invite != invite else { return }
        state.invite = invite
        try write(state)
    }

    /// Forgets the claim and the invite that was used, but not a link that was opened meanwhile.
    func forget(_ used: KithInvite?) throws {
        var state = try read()
        guard state.invite != nil || state.claim != nil else { return }
        state.claim = nil
        if state.invite == used { state.invite = nil }
        try write(state)
    }

    /// Claims once, and answers later calls from memory. Of calls at the same time, one asks first.
    func claim(
        _ evidence: InstallEvidence,
        _ ask: @escaping @Sendable (InstallClaimRequest) async throws -> KithClaim?
    ) async throws -> KithClaim? {
        while let claiming { _ = try? await claiming.value }
        let state = try read()
        // A link that the user pastes is worth more than a guess.
        if let claim = state.claim, evidence.pasteboard == nil || claim.confidence == .exact { return claim }
        // What the user just pasted is new each time; the rest is asked once, also after the sign-up.
        guard evidence.pasteboard != nil || !evidence.names.isSubset(of: state.asked) else { return nil }
        let task = Task {
            defer { claiming = nil }
            let claim = try await ask(InstallClaimRequest(state.installationId, evidence))
            try finish(claim, evidence)
            return claim
        }
        claiming = task
        return try await task.value
    }

    private func finish(_ claim: KithClaim?, _ evidence: InstallEvidence) throws {
        var state = try read()
        state.asked.formUnion(evidence.names)
        // A link that was opened meanwhile is what the user did last.
        if state.invite == state.claim?.invite { state.invite = (claim ?? state.claim)?.invite }
        state.claim = claim ?? state.claim
        try write(state)
    }
}

extension InstallEvidence {
    fileprivate var names: Set<String> {
        Set([referrer.map { _ in "referrer" }, facts.map { _ in "facts" }].compactMap { $0 })
    }
}

struct InstallClaimRequest: Encodable, Sendable {
    let platform: InstallEvidence.Platform
    let installationId: String
    let app, referrer, pasteboard: String?
    let facts: InstallEvidence.Facts?

    init(_ installationId: String, _ evidence: InstallEvidence) {
        (platform, app, referrer) = (evidence.platform, evidence.app, evidence.referrer)
        (pasteboard, facts) = (evidence.pasteboard, evidence.facts)
        self.installationId = installationId
    }
}
