import Foundation
import Kernel
import Web

/// A purchase in the App Store with its history: what Apple signed about it, in whatever order that arrived.
struct Purchase: Sendable, Equatable {
    var key: Key
    /// The id of the call that changed it last. Nil if it is not in the database yet.
    var changeID: UUID?
    var bundleID: String
    var appStoreID: String?
    /// Apple's type of the product.
    var type: String
    var isFamilyShared: Bool
    var startedAt: Date
    /// The owner. Nil if none is known.
    var owner: User.ID?
    var tiedAt: Date?
    /// Whether it renews. Nil if that is not known, or it cannot renew.
    var autoRenews: Bool?
    var graceUntil: Date?
    /// The product at the next renewal. Nil if it stays as it is, or is not known.
    var renewsAs: String?
    /// Whether the last payment failed, and Apple still tries.
    var isBillingFailed = false
    var renewalSignedAt: Date?
    /// When Apple last said that it has expired.
    var endedAt: Date?
    /// The consumption: a consumable is given once, and a backend has given it. Nil if none has.
    var consumption: Consumption?
    /// The periods, oldest first.
    var periods: [Period] = []

    struct Key: Hashable, Sendable {
        /// Apple's `originalTransactionId`.
        var id: String
        var environment: OfferCampaign.Environment

        static let simulated = "sim-"
        var isSimulated: Bool { id.hasPrefix(Self.simulated) }

        /// Whether a text may be one of Apple's ids: 1 to 64 ASCII letters and digits.
        static func isTransactionID(_ text: String) -> Bool {
            (1...64).contains(text.utf8.count)
                && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
        }

        /// Whether a text may be one of Apple's ids, or one that Kith gave a simulated purchase.
        static func isID(_ text: String) -> Bool {
            isTransactionID(text.hasPrefix(simulated) ? String(text.dropFirst(simulated.count)) : text)
        }
    }

    /// A period, which is one transaction.
    struct Period: Sendable, Equatable {
        var id: String
        var productID: String
        var purchasedAt: Date
        /// When it expires. Nil if never.
        var expiresAt: Date?
        var isUpgraded: Bool
        /// How many were bought at once. For consumables there may be several.
        var quantity = 1
        var offer: Offer?
        var revokedAt: Date?
        var revocationReason: Int64?
        var reversedAt: Date?
        var signedAt: Date

        /// Whether it was taken back, and not given again.
        var isRevoked: Bool { revokedAt.map { revoked in reversedAt.map { $0 < revoked } ?? true } ?? false }

        /// Whether the period was upgraded to the next one. Apple says so, but may never say it. Otherwise it
        /// was if another product began before this period ended or was refunded.
        func isUpgraded(to next: Period) -> Bool {
            if isUpgraded { return true }
            guard next.productID != productID, let expiresAt else { return false }
            return next.purchasedAt < min(expiresAt, isRevoked ? revokedAt ?? expiresAt : expiresAt)
        }

        func isActive(at time: Date) -> Bool {
            !isRevoked && !isUpgraded && (expiresAt.map { $0 > time } ?? true)
        }
    }

    /// The call by which a consumable was consumed.
    struct Consumption: Sendable, Equatable {
        var at: Date
        /// The backend's own id. Nil if its user has deleted their account since.
        var id: String?
    }

    struct Offer: Sendable, Equatable {
        var type: Int64
        var identifier: String?

        /// The type of an offer code (https://developer.apple.com/documentation/appstoreserverapi/offertype).
        static let code: Int64 = 3
        var isCode: Bool { type == Self.code }
    }
}

extension Purchase {
    static let consumable = "Consumable"
    var isConsumable: Bool { type == Self.consumable }

    /// Returns the current period. If several are active at a time, it is the one that ends last. If none is,
    /// it is the newest, even if Apple took it back, so that it shows the past.
    func current(at time: Date) -> Period? {
        periods.filter { $0.isActive(at: time) }.max {
            ($0.expiresAt ?? .distantFuture, $0.purchasedAt) < (
                $1.expiresAt ?? .distantFuture, $1.purchasedAt
            )
        } ?? newest
    }

    /// The period that was bought last, without those that were upgraded.
    var newest: Period? { periods.last { !$0.isUpgraded } ?? periods.last }

    /// The period that Apple took back last, and did not give again.
    var refunded: Period? {
        periods.filter(\.isRevoked).max {
            ($0.revokedAt ?? .distantPast, $0.purchasedAt) < ($1.revokedAt ?? .distantPast, $1.purchasedAt)
        }
    }

    /// The product that the user will have from the next renewal on, by Apple's latest news.
    var planned: String? { renewsAs ?? newest?.productID }

    func isActive(at time: Date) -> Bool {
        if consumption != nil { return false }
        if periods.contains(where: { $0.isActive(at: time) }) { return true }
        guard let graceUntil, graceUntil > time else { return false }
        return newest.map { !$0.isRevoked && $0.expiresAt != nil } ?? false
    }

    /// Whether the purchase was active at a time, by the periods that had begun then: one that began later
    /// may already be known.
    func wasActive(at time: Date) -> Bool {
        var then = self
        then.periods.removeAll { $0.purchasedAt > time }
        return then.isActive(at: time)
    }

    /// The period that was bought first, and those to which it was upgraded. Later periods, which may be
    /// renewals, are not among them.
    var firstBought: ArraySlice<Period> {
        let upgrades = zip(periods, periods.dropFirst()).prefix { $0.isUpgraded(to: $1) }.count
        return periods.prefix(upgrades + 1)
    }

    /// Whether Apple refunded the first period or, if that was upgraded, what it was upgraded to.
    var isTakenBack: Bool { firstBought.last?.isRevoked == true }

    /// The first period of each offer code, which is what was redeemed. A share of a family's purchase
    /// redeems nothing.
    var redemptions: [Period] {
        if isFamilyShared { return [] }
        var seen: Set<String?> = []
        return periods.filter { $0.offer?.isCode == true && seen.insert($0.offer?.identifier).inserted }
    }

    /// Returns when the benefit of an offer code ends. Nil if never.
    func end(of redemption: Period) -> Date? {
        let given = periods.filter { $0.offer == redemption.offer }
        guard given.allSatisfy({ $0.expiresAt != nil }) else { return nil }
        return given.compactMap(\.expiresAt).max()
    }
}
