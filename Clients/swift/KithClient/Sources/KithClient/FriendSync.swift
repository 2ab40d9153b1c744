import Foundation

/// Friends, requests and blocks of a user, kept on the phone: shown at once at the start, and brought up to
/// date by what changed.
///
/// Make one for the user who is signed in. `FriendList` shows it in SwiftUI; elsewhere `snapshots` tells of
/// changes.
public actor FriendSync {
    /// What is known now.
    public struct Snapshot: Hashable, Sendable {
        /// Newest first.
        public let people: [Person]
        /// If the user's whole list was read at least once.
        public let isComplete: Bool

        public init(people: [Person] = [], isComplete: Bool = false) {
            (self.people, self.isComplete) = (people, isComplete)
        }

        public var friends: [Person] { people.filter { $0.relationship == .friends } }
        /// Who asks.
        public var incoming: [Person] { people.filter { $0.relationship == .incoming } }
        public var outgoing: [Person] { people.filter { $0.relationship == .outgoing } }
        public var blocked: [Person] { people.filter { $0.relationship == .blocked } }

        public func relationship(to uid: String) -> Relationship {
            people.first { $0.uid == uid }?.relationship ?? .none
        }
    }

    /// What is stored, in one file: people and the place up to which they are known belong together.
    private struct Kept: Codable {
        var people: [String: Person] = [:]
        /// The `next` of the last page; nil before the first whole reading.
        var cursor: String?
        var etag: String?

        mutating func apply(_ changes: [Person]) {
            for person in changes { people[person.uid] = person.relationship == .none ? nil : person }
        }
    }

    private struct Changes: Decodable {
        let changes: [Person]
        let hasMore: Bool
        let next: String
    }

    private let client: KithClient
    private let key: String
    private let pageSize: Int
    private var kept: Kept
    private var syncing: Task<Void, any Error>?
    private var isForgotten = false
    private var listeners: [UUID: AsyncStream<Snapshot>.Continuation] = [:]

    /// - Parameter uid: of the user who is signed in; each has a file of their own.
    public init(_ client: KithClient, uid: String, pageSize: Int = 500) {
        self.client = client
        self.pageSize = pageSize
        key = "friends-\(uid)"
        kept = client.storage.value(Kept.self, key) ?? Kept()
    }

    public var snapshot: Snapshot {
        let people = kept.people.values.sorted {
            ($0.since ?? .distantPast, $1.uid) > ($1.since ?? .distantPast, $0.uid)
        }
        return Snapshot(people: people, isComplete: kept.cursor != nil)
    }

    /// What is known now, and then after each change.
    public var snapshots: AsyncStream<Snapshot> {
        let id = UUID()
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            listeners[id] = continuation
            continuation.onTermination = { [weak self] _ in Task { await self?.leave(id) } }
            continuation.yield(snapshot)
        }
    }

    private func leave(_ id: UUID) { listeners[id] = nil }

    /// Asks the server what changed. Calls at the same time share one. If it fails, what was known stands.
    public func sync() async throws {
        if let syncing { return try await syncing.value }
        let task = Task {
            // Before those who wait go on: they may want to begin another.
            defer { syncing = nil }
            try await run()
        }
        syncing = task
        try await task.value
    }

    /// Asks a user, or accepts; then syncs.
    @discardableResult public func want(_ uid: String) async throws -> Relationship {
        try await act { try await $0.want(uid) }
    }

    /// Cancels, declines or ends; then syncs.
    @discardableResult public func unwant(_ uid: String) async throws -> Relationship {
        try await act { try await $0.unwant(uid) }
    }

    @discardableResult public func block(_ uid: String) async throws -> Relationship {
        try await act { try await $0.block(uid) }
    }

    @discardableResult public func unblock(_ uid: String) async throws -> Relationship {
        try await act { try await $0.unblock(uid) }
    }

    private func act(_ call: (KithClient) async throws -> Relationship) async throws -> Relationship {
        let relationship = try await call(client)
        // One that began before the act may not see it.
        if let syncing { _ = try? await syncing.value }
        // The act is done. If the list cannot be read now, the next sync brings it.
        try? await sync()
        return relationship
    }

    /// Forgets everything, as when the user signs out.
    public func forget() throws {
        isForgotten = true
        syncing?.cancel()
        kept = Kept()
        try client.storage.write(key, nil)
        publish()
    }

    private func run() async throws {
        do {
            try await read(from: kept)
        } catch let problem as KithProblem where problem.asksToReload && kept.cursor != nil {
            // Until all is there again, the old list is better than half of the new one.
            try await read(from: Kept())
        }
    }

    /// Reads all pages. A later visit stores each, so that a crash loses none; the first stores all together.
    private func read(from start: Kept) async throws {
        var draft = start
        let isFirst = start.cursor == nil
        var hasMore = true
        while hasMore {
            let query = [("limit", String(pageSize)), ("after", draft.cursor)]
            let (data, response) = try await client.answer(
                Call(path: "/v1/me/changes", query: query, etag: draft.etag))
            if response.statusCode == 304 { return }
            let page = try KithJSON.decode(Changes.self, from: data)
            draft.apply(page.changes)
            (draft.cursor, hasMore) = (page.next, page.hasMore)
            // Of the last page: it says that nothing came after it.
            draft.etag = hasMore ? nil : response.value(forHTTPHeaderField: "ETag")
            if !isFirst || !hasMore { try keep(draft) }
        }
    }

    private func keep(_ draft: Kept) throws {
        guard !isForgotten else { throw CancellationError() }
        let hasChanged = draft.people != kept.people || kept.cursor == nil
        try client.storage.store(draft, key)
        kept = draft
        if hasChanged { publish() }
    }

    private func publish() {
        let snapshot = snapshot
        for listener in listeners.values { listener.yield(snapshot) }
    }
}

extension KithProblem {
    /// If everything must be read anew: what was forgotten on the server, or a cursor that is none there.
    fileprivate var asksToReload: Bool {
        code == .reloadRequired || (status == 400 && field == "after")
    }
}
