import Foundation

/// Takes what Apple signed of a purchase, finds out whose it is, and tells what has changed.
struct PurchaseTaking: Sendable {
    let store: PurchaseStore
    let users: UserStore
    /// The number of the app in the App Store.
    var appStoreID: String?
    let now: @Sendable () -> Date

    struct Taken: Sendable {
        var purchase: Purchase
        /// Whether it has an owner since this call.
        var isTied: Bool
    }

    /// Takes all or nothing. Again it changes nothing. Nil if there is no transaction, and the purchase is not known.
    ///
    /// Throws `PurchaseError.taken` if it is another's than the presenter's, and a 409 after losing to other calls for
    /// some seconds.
    /// - Parameter presenter: who shows it; nil: Apple does.
    func take(
        _ news: [Purchase.News], of key: Purchase.Key, from presenter: User.ID? = nil,
        noting act: OperatorAct? = nil
    ) async throws -> Taken? {
        for turn in 0..<15 {
            // Apple sends many about one purchase at once after an outage.
            if turn > 0 { try await Task.sleep(for: .milliseconds(Int.random(in: 0...min(400, 10 << turn)))) }
            let before = try await store.find(key)
            let first = news.lazy.compactMap(\.transaction).first
            guard
                var purchase = before
                    ?? first.map({ Purchase($0, key.environment, appStoreID: appStoreID) })
            else { return nil }
            let owner = try await owner(of: purchase, news, presenter)
            let changes = news.flatMap { purchase.take($0) }
            let isTied = purchase.owner == nil && owner != nil
            if isTied { (purchase.owner, purchase.tiedAt) = (owner, now()) }
            let notices = news.compactMap(\.notice)
            guard before != purchase || !notices.isEmpty || act != nil else {
                return Taken(purchase: purchase, isTied: false)
            }
            // Of what happened before it was theirs, the user hears once: that it is.
            let kinds = isTied ? purchase.story : changes.map(\.event)
            do {
                try await store.write(
                    purchase, over: before, notices: notices,
                    telling: purchase.owner.map { owner in
                        kinds.map { EventStore.tell($0, owner, facts: purchase.facts(at: now())) }
                    } ?? [], noting: act)
                return Taken(purchase: purchase, isTied: isTied)
            } catch AccountError.changedMeanwhile {
                continue
            }
        }
        throw Problem.changedMeanwhile
    }

    /// Whose it is: whose it was before, else whom the app named when they bought it, else the first who shows it.
    private func owner(
        of purchase: Purchase, _ news: [Purchase.News], _ presenter: User.ID?
    ) async throws -> User.ID? {
        var owner = purchase.owner
        if owner == nil, let token = news.lazy.compactMap(\.transaction?.appAccountToken).first {
            let named = try await users.findCaller(User.ID(token))
            if let named, named.status != .deleted { owner = named.id }
        }
        if let owner, let presenter, owner != presenter { throw PurchaseError.taken }
        return owner ?? presenter
    }
}

extension Purchase.Change {
    fileprivate var event: Event.Kind {
        switch self {
        case .renewed: .purchaseRenewed
        case .cancelled: .purchaseCancelled
        case .resumed: .purchaseResumed
        case .ended: .purchaseEnded
        case .refunded: .purchaseRefunded
        case .refundReversed: .purchaseRefundReversed
        }
    }
}

extension Purchase {
    /// What somebody hears to whom it is new.
    fileprivate var story: [Event.Kind] {
        [.purchaseStarted] + (current?.isRevoked == true ? [.purchaseRefunded] : [])
    }

    /// What events tell of it.
    fileprivate func facts(at time: Date) -> [String: String] {
        var facts = ["originalTransactionId": key.id, "environment": key.environment.rawValue]
        facts["active"] = isActive(at: time) ? "true" : "false"
        let period = current ?? periods.last
        facts["productId"] = period?.productID
        facts["expiresAt"] = period?.expiresAt.map(JSON.timestamp)
        facts["offer"] = redemptions.last?.offer?.identifier
        if key.isSimulated { facts["simulated"] = "true" }
        return facts
    }
}
