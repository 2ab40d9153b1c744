import Events
package import Foundation
package import Kernel
import Web

/// Takes what Apple signed about a purchase, finds its owner, and tells what has changed.
package struct PurchaseTaking: Sendable {
    package let store: PurchaseStore
    package let users: UserStore
    /// The number of the app in the App Store.
    package var appStoreID: String?
    package let now: @Sendable () -> Date

    package init(
        store: PurchaseStore, users: UserStore, appStoreID: String? = nil, now: @escaping @Sendable () -> Date
    ) {
        self.store = store
        self.users = users
        self.appStoreID = appStoreID
        self.now = now
    }

    struct Taken: Sendable {
        var purchase: Purchase
        /// Whether the purchase got an owner with this call.
        var isTied: Bool
    }

    /// Takes what Apple says in a notification. Without a transaction, news about an unknown purchase wait
    /// for it.
    func take(_ news: Purchase.News, of key: Purchase.Key) async throws {
        try await trying {
            if try await takeOnce(of: key, { _ in [news] }) != nil { return () }
            guard let notice = news.notice else { return () }
            try await store.keep(notice, news.renewal, until: key)
        }
    }

    /// Takes all or nothing. A repeated call changes nothing. Nil if there is no transaction, and the
    /// purchase is not known.
    ///
    /// Throws `PurchaseError.taken` if it belongs to another user than the presenter, and a 409 after losing
    /// to other calls for some seconds.
    /// - Parameters:
    ///   - presenter: the user who shows it. Nil if Apple does.
    ///   - news: returns the news for what is known. Nil if nothing can be said. It is called again if
    ///     another call was faster.
    func take(
        of key: Purchase.Key, from presenter: User.ID? = nil, noting act: OperatorAct? = nil,
        _ news: (Purchase?) throws -> [Purchase.News]?
    ) async throws -> Taken? {
        try await trying { try await takeOnce(of: key, from: presenter, noting: act, news) }
    }

    /// Notes that a backend gave a consumable. It works once, and again with the same id. Throws a
    /// `PurchaseError`.
    func consume(_ key: Purchase.Key, of user: User.ID, by id: String) async throws -> (Purchase, isNew: Bool)
    {
        try await trying {
            guard let before = try await store.find(key), before.owner == user else {
                throw PurchaseError.unknown
            }
            guard before.isConsumable else { throw PurchaseError.notConsumable }
            if let consumption = before.consumption {
                guard consumption.id == id else { throw PurchaseError.consumed }
                return (before, isNew: false)
            }
            guard before.newest?.isRevoked == false else { throw PurchaseError.refunded }
            var purchase = before
            purchase.consumption = .init(at: now(), id: id)
            try await store.write(purchase, over: before, waiting: [], notices: [], telling: [])
            return (purchase, isNew: true)
        }
    }

    private func trying<Result>(_ work: () async throws -> Result) async throws -> Result {
        for turn in 0..<15 {
            // After an outage Apple sends many notifications about one purchase at once.
            if turn > 0 { try await Task.sleep(for: .milliseconds(Int.random(in: 0...min(400, 10 << turn)))) }
            do { return try await work() } catch AccountError.changedMeanwhile { continue }
        }
        throw Problem.changedMeanwhile
    }

    /// Tries once. Throws `AccountError.changedMeanwhile` if another call was faster.
    private func takeOnce(
        of key: Purchase.Key, from presenter: User.ID? = nil, noting act: OperatorAct? = nil,
        _ told: (Purchase?) throws -> [Purchase.News]?
    ) async throws -> Taken? {
        let before = try await store.find(key)
        guard let news = try told(before) else { return nil }
        let first = news.lazy.compactMap(\.transaction).first
        guard
            var purchase = before ?? first.map({ Purchase($0, key.environment, appStoreID: appStoreID) })
        else { return nil }
        let waiting = before == nil ? try await store.waiting(for: key) : []
        let owner = try await owner(of: purchase, news, presenter)
        let changes = (news + waiting).flatMap { purchase.take($0) }
        let isTied = purchase.owner == nil && owner != nil
        if isTied { (purchase.owner, purchase.tiedAt) = (owner, now()) }
        let notices = news.compactMap(\.notice)
        guard before != purchase || !notices.isEmpty || act != nil else {
            return Taken(purchase: purchase, isTied: false)
        }
        // For what happened before the purchase was theirs, the user gets one event: that it is theirs.
        let story = isTied ? purchase.story : changes.map { ($0.kind.event, $0.period) }
        try await store.write(
            purchase, over: before, waiting: waiting.compactMap(\.notice?.id), notices: notices,
            telling: purchase.owner.map { owner in
                story.map { EventStore.record($0, owner, facts: purchase.facts(for: $0, of: $1, at: now())) }
            } ?? [], noting: act)
        return Taken(purchase: purchase, isTied: isTied)
    }

    /// Returns the owner: the previous one, otherwise the user whom the app named at the purchase, otherwise
    /// the first who shows it.
    private func owner(
        of purchase: Purchase, _ news: [Purchase.News], _ presenter: User.ID?
    ) async throws -> User.ID? {
        var owner = purchase.owner
        if owner == nil, let token = news.lazy.compactMap(\.transaction?.account).first {
            let named = try await users.findCaller(User.ID(token))
            if let named, named.status != .deleted { owner = named.id }
        }
        if let owner, let presenter, owner != presenter { throw PurchaseError.taken }
        return owner ?? presenter
    }
}

extension Purchase.Change.Kind {
    fileprivate var event: Event.Kind {
        switch self {
        case .renewed: .purchaseRenewed
        case .changed: .purchaseChanged
        case .billingFailed: .purchaseBillingFailed
        case .recovered: .purchaseRecovered
        case .cancelled: .purchaseCancelled
        case .resumed: .purchaseResumed
        case .ended: .purchaseEnded
        case .refunded: .purchaseRefunded
        case .refundReversed: .purchaseRefundReversed
        }
    }
}

extension Purchase {
    /// The events for a user to whom the purchase is new.
    fileprivate var story: [(Event.Kind, Period?)] {
        let refunded = newest.flatMap { $0.isRevoked ? $0 : nil }
        return [(.purchaseStarted, nil)] + (refunded.map { [(.purchaseRefunded, $0)] } ?? [])
    }

    /// Returns the facts that events have about it.
    /// - Parameter period: the period that the event is about. Nil for the current one.
    fileprivate func facts(for kind: Event.Kind, of period: Period?, at time: Date) -> [String: EventFact] {
        var facts: [String: EventFact] = [
            "originalTransactionId": .text(key.id), "environment": .text(key.environment.rawValue),
            "active": .flag(isActive(at: time)),
        ]
        func tell(_ name: String, _ time: Date?) { facts[name] = time.map { .text(JSON.timestamp($0)) } }
        if let period = period ?? current(at: time) {
            (facts["transactionId"], facts["productId"]) = (.text(period.id), .text(period.productID))
            facts["quantity"] = .number(period.quantity)
            tell("purchasedAt", period.purchasedAt)
            tell("expiresAt", period.expiresAt)
            if kind == .purchaseRefunded { tell("revokedAt", period.revokedAt) }
        }
        if kind == .purchaseBillingFailed { tell("graceUntil", graceUntil) }
        if kind == .purchaseChanged { facts["renewsAs"] = planned.map { .text($0) } }
        facts["offer"] = redemptions.last?.offer?.identifier.map { .text($0) }
        if key.isSimulated { facts["simulated"] = true }
        return facts
    }
}
