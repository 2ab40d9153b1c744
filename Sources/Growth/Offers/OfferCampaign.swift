import Foundation
import Kernel
import Web

/// An offer of the App Store. Each user gets one of its codes.
package struct OfferCampaign: Sendable, Equatable {
    var key: Key
    var appStoreID: String
    /// The reference name of the offer, as transactions carry it in `offerIdentifier`
    /// (https://developer.apple.com/documentation/appstoreserverapi/offeridentifier).
    var offer: String
    /// The product of the offer. Redemptions of other products do not count for the campaign. Nil if any
    /// product counts.
    var productID: String?
    var environment: Environment
    var lowWater: Int
    /// How many codes may be dealt in a quarter. Nil if all of them may.
    var quarterBudget: Int?
    /// Whether a code is only for users who earned it by a reward.
    var rewardsOnly = false
    /// A custom code that everybody gets who asks. Nil if each user gets one of their own.
    var sharedCode: OfferCode?

    enum Environment: String, Codable, CaseIterable, Sendable { case production, sandbox }

    static let usualLowWater = 100
    /// The fewest days that a code must last to be dealt: its user may not open the message at once.
    static let daysLeft = 14
    /// How many days before codes expire unused operators are told.
    static let daysToTell = 30

    /// Returns the URL at which a user redeems a code
    /// (https://developer.apple.com/help/app-store-connect/manage-subscriptions/set-up-offer-codes).
    func url(of code: OfferCode) -> String {
        "https://apps.apple.com/redeem?ctx=offercodes&id=\(appStoreID)&code=\(code.text)"
    }

    /// The forms of its fields, in the API and in the file of `kith apply`.
    enum Form {
        static let key = "1 to 64 of letters, digits, - and _, the first of which is a letter or digit"
        static let appStoreID = "the number of an app in the App Store"
        static let offer = "one line of 1 to 64 characters: the offer's reference name"
        static let productID = "one line of 1 to 255 characters: the id of a product in App Store Connect"
        static let environment = "production or sandbox"
        static let sharedCode = "4 to 64 letters and digits: a custom code in App Store Connect"
        static let sharedReward = "cannot be with rewardsOnly: everybody may have it"
    }

    /// The range of `lowWater` and `quarterBudget`.
    static let counts = 0...1_000_000_000

    static func appStoreID(_ text: String) -> String? {
        let isNumber =
            (1...20).contains(text.utf8.count) && text.first != "0" && text.utf8.allSatisfy(\.isASCIIDigit)
        return isNumber ? text : nil
    }

    static func offer(_ text: String) -> String? { OneLine(text, atMost: 64)?.text }

    static func productID(_ text: String) -> String? {
        OneLine(text, atMost: 255)?.text == text ? text : nil
    }

    /// The name by which apps call a campaign: 1 to 64 of letters, digits, - and _, the first of which is a
    /// letter or digit.
    package struct Key: Hashable, Sendable {
        package let text: String

        init?(_ text: String) {
            guard (1...64).contains(text.utf8.count),
                text.utf8.first.map(ASCIISet.alphanumeric.contains) == true,
                text.utf8.allSatisfy(EntryKey.letters.contains)
            else { return nil }
            self.text = text
        }

        /// Takes a key as the database has it.
        init(stored text: String) { self.text = text }
    }
}

/// A code of an offer in the App Store.
struct OfferCode: Hashable, Sendable {
    let text: String

    /// Nil unless the text is 4 to 64 ASCII letters and digits. Upper and lower case are the same, so that a
    /// code which the App Store takes only once is not dealt twice.
    init?(_ text: String) {
        guard (4...64).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit })
        else {
            return nil
        }
        self.text = text.uppercased()
    }
}
