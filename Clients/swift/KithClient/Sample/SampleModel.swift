import Foundation
import KithClient

#if canImport(Combine)
    import Combine
#endif

/// All that the sample app decides. It has no views, so that it compiles and is tested everywhere.
@MainActor public final class SampleModel {
    public enum Step: Hashable, Sendable {
        case starting
        /// Nobody has signed up; who invites, if anybody.
        case welcome(ResolvedInvite?)
        /// A link was opened by a user who has an account: accept it?
        case invited(ResolvedInvite)
        case friends
    }

    public private(set) var step = Step.starting { willSet { changes() } }
    public private(set) var people = FriendSync.Snapshot() { willSet { changes() } }
    public private(set) var addFriend: AddFriendScreen? { willSet { changes() } }
    /// Whether to ask "Did … invite you?": that the invite is theirs is only likely, and the user has not
    /// said so.
    public private(set) var asksWhoInvited = false { willSet { changes() } }
    /// For the user, until the next call.
    public private(set) var message: String? { willSet { changes() } }

    private let kith: KithClient
    private let uid: String
    private let platform: InstallEvidence.Platform
    private let facts: InstallEvidence.Facts
    private let sync: FriendSync
    private var invite: KithInvite?
    /// Said yes to "Did … invite you?".
    private var confirmed: KithInvite?

    public init(
        _ kith: KithClient, uid: String, platform: InstallEvidence.Platform = .ios,
        facts: InstallEvidence.Facts = .ofThisPhone
    ) {
        (self.kith, self.uid, self.platform, self.facts) = (kith, uid, platform, facts)
        sync = FriendSync(kith, uid: uid)
    }

    /// At each start of the app.
    public func start() async {
        await attempt {
            people = await sync.snapshot
            do {
                addFriend = try await kith.addFriendScreen()
                step = .friends
                try await refresh()
                // A question that was not answered before the app ended.
                try await show()
            } catch let problem as KithProblem where problem.code == .notSignedUp {
                _ = try await kith.claimOnFirstLaunch(InstallEvidence(platform: platform, facts: facts))
                try await welcome()
            }
        }
    }

    /// For `onOpenURL`: universal links, the app's scheme, scanned QR symbols.
    public func open(_ url: URL) async {
        await attempt {
            guard try await kith.handle(url: url) != nil else { return }
            step == .friends ? try await show() : try await welcome()
        }
    }

    /// For the paste button: the page's button "Copy the invite" copied the link.
    public func paste(_ texts: [String]) async {
        await attempt {
            _ = try await kith.claimOnFirstLaunch(
                InstallEvidence(platform: platform, pasteboard: texts.first))
            try await welcome()
        }
    }

    public func signUp(username: String, displayName: String) async {
        await attempt {
            let answer = try await kith.signUp(
                username: username, displayName: displayName.isEmpty ? nil : displayName, invite: invite)
            if answer.invite.outcome == .ignored { message = "The invite does not work any more." }
            addFriend = try await kith.addFriendScreen()
            step = .friends
            // An invite that is only likely waits for the user's word.
            if let invite, invite == confirmed { _ = try await kith.accept(invite) }
            try await refresh()
            try await show()
        }
    }

    /// The user pressed the button of an invite, or the other one.
    public func answer(accepts: Bool) async {
        await attempt {
            if case .welcome = step {
                if accepts { confirmed = invite } else { try await kith.forgetInvite() }
                return try await welcome()
            }
            guard case .invited(let invited) = step, let invite else { return }
            step = .friends
            if accepts {
                _ = try await kith.accept(invite)
            } else if invite.isLikely {
                // Nor does the inviter's request stay.
                _ = try await kith.unwant(invited.inviter.uid)
            }
            try await kith.forgetInvite()
            try await refresh()
        }
    }

    public func want(_ uid: String) async { await act { try await $0.want(uid) } }
    public func unwant(_ uid: String) async { await act { try await $0.unwant(uid) } }
    public func block(_ uid: String) async { await act { try await $0.block(uid) } }

    /// Pull to refresh.
    public func refresh() async throws {
        try await sync.sync()
        people = await sync.snapshot
    }

    /// Shows who invites. An invite that leads to nobody is not shown.
    private func welcome() async throws {
        do { step = .welcome(try await resolved()) } catch is KithProblem { step = .welcome(nil) }
    }

    private func show() async throws {
        do {
            if let resolved = try await resolved() { step = .invited(resolved) }
        } catch let problem as KithProblem where [404, 410, 422].contains(problem.status) {
            try await kith.forgetInvite()
            throw problem
        }
    }

    private func resolved() async throws -> ResolvedInvite? {
        invite = try await kith.pendingInvite()
        asksWhoInvited = invite?.isLikely == true && invite != confirmed
        guard let invite else { return nil }
        return try await kith.resolve(invite)
    }

    private func act(_ act: (FriendSync) async throws -> Relationship) async {
        await attempt {
            _ = try await act(sync)
            people = await sync.snapshot
        }
    }

    private func attempt(_ call: () async throws -> Void) async {
        message = nil
        do {
            try await call()
        } catch let problem as KithProblem {
            message =
                switch problem.code {
                case .usernameTaken: "Somebody has this name."
                case .usernameInvalid: problem.detail
                case .inviteNotFound, .inviteExpired, .inviteExhausted, .inviteRevoked:
                    "This link does not work any more."
                case .selfInvite: "This is your own link."
                default: "That did not work (\(problem.code), \(problem.requestId ?? ""))."
                }
        } catch is CancellationError {
        } catch {
            message = "There is no connection."
        }
    }

    private func changes() {
        #if canImport(Combine)
            objectWillChange.send()
        #endif
    }
}

#if canImport(Combine)
    extension SampleModel: ObservableObject {}
#endif
