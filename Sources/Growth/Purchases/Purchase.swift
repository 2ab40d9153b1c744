import Foundation
import Kernel
import Web

/// A purchase in the App Store with its history: what Apple signed of it, in whatever order that arrived.
struct Purchase: Sendable, Equatable {
    var key: Key
    /// Of the call that changed it last; nil: it is not in the database yet.
    var changeID: UUID?
    var bundleID: String
    var appStoreID: String?
    /// Apple's type of the product.
    var type: String
    var isFamilyShared: Bool
    var startedAt: Date
    /// Nil: nobody who is known.
    var owner: User.ID?
    var tiedAt: Date?
    /// Nil: not known, or it cannot.
    var autoRenews: Bool?
    var graceUntil: Date?
    /// The product at the next renewal; nil: as now, or not known.
    var renewsAs: String?
    /// Whether the last payment failed, and Apple still tries.
    var isBillingFailed = false
    var renewalSignedAt: Date?
    /// When Apple last said that it has expired.
    var endedAt: Date?
    /// That a backend gave what was bought, as a consumable is given once; nil: none did.
    var consumption: Consumption?
    /// Oldest first.
    var periods: [Period] = []

    struct Key: Hashable, Sendable {
        /// Apple's originalTransactionId.
        var id: String
        var environment: OfferCampaign.Environment

        static let simulated = "sim-"
        var isSimulated: Bool { id.hasPrefix(Self.simulated) }

        /// Whether it may be an id of Apple's: 1 to 64 ASCII letters and digits.
        static func isTransactionID(_ text: String) -> Bool {
            (1...64).contains(text.utf8.count)
                && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
        }

        /// The same, or one that Kith gave a simulated purchase.
        static func isID(_ text: String) -> Bool {
            isTransactionID(text.hasPrefix(simulated) ? String(text.dropFirst(simulated.count)) : text)
        }
    }

    /// One transaction.
    struct Period: Sendable, Equatable {
        var id: String
        var productID: String
        var purchasedAt: Date
        /// Nil: never.
        var expiresAt: Date?
        var isUpgraded: Bool
        /// How many were bought at once: of consumables there may be several.
        var quantity = 1
        var offer: Offer?
        var revokedAt: Date?
        var revocationReason: Int64?
        var reversedAt: Date?
        var signedAt: Date

        /// Taken back, and not given again.
        var isRevoked: Bool { revokedAt.map { revoked in reversedAt.map { $0 < revoked } ?? true } ?? false }

        /// By Apple's word, which may never come; or since another product began before this period ended or was refunded.
        func isUpgraded(to next: Period) -> Bool {
            if isUpgraded { return true }
            guard next.productID != productID, let expiresAt else { return false }
            return next.purchasedAt < min(expiresAt, isRevoked ? revokedAt ?? expiresAt : expiresAt)
        }

        func isActive(at time: Date) -> Bool {
            !isRevoked && !isUpgraded && (expiresAt.map { $0 > time } ?? true)
        }
    }

    /// By which call a consumable was consumed.
    struct Consumption: Sendable, Equatable {
        var at: Date
        /// The backend's own. Nil: its user has deleted their account since.
        var id: String?
    }

    struct Offer: Sendable, Equatable {
        var type: Int64
        var identifier: String?

        /// Of an offer code (https://developer.apple.com/documentation/appstoreserverapi/offertype).
        static let code: Int64 = 3
        var isCode: Bool { type == Self.code }
    }
}

extension Purchase {
    static let consumable = "Consumable"
    var isConsumable: Bool { type == Self.consumable }

    /// The period that counts: of those that they have at a time, the one that ends last; of none, the newest, even if Apple took it
    /// back, so that it shows what was.
    func current(at time: Date) -> Period? {
        periods.filter { $0.isActive(at: time) }.max {
            ($0.expiresAt ?? .distantFuture, $0.purchasedAt) < (
                $1.expiresAt ?? .distantFuture, $1.purchasedAt
            )
        } ?? newest
    }

    /// What was bought last; what it was upgraded from is not.
    var newest: Period? { periods.last { !$0.isUpgraded } ?? periods.last }

    /// The period that Apple took back last, and did not give again.
    var refunded: Period? {
        periods.filter(\.isRevoked).max {
            ($0.revokedAt ?? .distantPast, $0.purchasedAt) < ($1.revokedAt ?? .distantPast, $1.purchasedAt)
        }
    }

    /// What they will have by the next renewal, by what Apple said last.
    var planned: String? { renewsAs ?? newest?.productID }

    func isActive(at time: Date) -> Bool {
        if consumption != nil { return false }
        if periods.contains(where: { $0.isActive(at: time) }) { return true }
        guard let graceUntil, graceUntil > time else { return false }
        return newest.map { !$0.isRevoked && $0.expiresAt != nil } ?? false
    }

    /// By the periods that had begun: one may be known already that began later.
    func wasActive(at time: Date) -> Bool {
        var then = self
        then.periods.removeAll { $0.purchasedAt > time }
        return then.isActive(at: time)
    }

    /// What was bought first, and what that was upgraded to. Later periods, which may be renewals, are not.
    var firstBought: ArraySlice<Period> {
        let upgrades = zip(periods, periods.dropFirst()).prefix { $0.isUpgraded(to: $1) }.count
        return periods.prefix(upgrades + 1)
    }

    /// Whether Apple refunded what was bought first or, if that was upgraded, what it was upgraded to.
    var isTakenBack: Bool { firstBought.last?.isRevoked == true }

    /// The first periods by each offer code: what was redeemed. Whoever has a share of a family's purchase redeemed nothing.
    var redemptions: [Period] {
        if isFamilyShared { return [] }
        var seen: Set<String?> = []
        return periods.filter { $0.offer?.isCode == true && seen.insert($0.offer?.identifier).inserted }
    }

    /// Until when what an offer code gave lasts; nil: for ever.
    func end(of redemption: Period) -> Date? {
        let given = periods.filter { $0.offer == redemption.offer }
        guard given.allSatisfy({ $0.expiresAt != nil }) else { return nil }
        return given.compactMap(\.expiresAt).max()
    }
}
