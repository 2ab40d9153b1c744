import Kernel
import Rollout

/// The programs of rewards that `kith apply` has set up, by their keys.
package struct AppliedRewards: KeyedSection {
    package static let name = "rewards"

    package var entries: [String: [String: String]] = [:]

    static let most = 20

    package init() {}

    package static func isList(_ field: String) -> Bool { field == "qualify.purchase.products" }

    package static var fieldNames: Set<String> { RewardProgramReader.names }

    /// Returns mistakes. What an inviter or invitee was promised must stay, and each budget has one unit.
    package func mistakes(over former: Self) -> [String] {
        let (before, after) = (former.read().rules, read().rules)
        return before.sorted { $0.key < $1.key }.flatMap { key, program in
            Reward.Side.allCases.compactMap { side in
                guard let was = program.gifts[side], let gift = after[key]?.gifts[side],
                    (was.kind, was.unit) != (gift.kind, gift.unit)
                else { return nil }
                return
                    "rewards.\(key).\(side.rawValue): gave \(was.kind.rawValue) \(was.unit): for another gift use another program"
            }
        }
    }

    /// Returns which programs name a campaign of offers that cannot be dealt, in the words of the file.
    /// - Parameter appStoreIDs: the numbers of all apps that the servers serve. Nil if they are not known, so
    ///   that any app will do.
    package func mistakes(among offers: AppliedOffers, of appStoreIDs: Set<String>?) -> [String] {
        let campaigns = Dictionary(uniqueKeysWithValues: offers.read().rules.map { ($0.key.text, $0) })
        return campaignsByField.sorted { $0.key < $1.key }.compactMap { field, key in
            guard let campaign = campaigns[key] else {
                return "\(field): there is no campaign '\(key)': add it to the section offers"
            }
            if campaign.sharedCode != nil {
                return "\(field): campaign '\(key)' has a code for everybody, which nobody earns"
            }
            guard let appStoreIDs, !appStoreIDs.contains(campaign.appStoreID) else { return nil }
            return
                "\(field): campaign '\(key)' is of the app \(campaign.appStoreID), and no app here has that id"
        }
    }

    /// The keys of the campaigns that programs name.
    package var campaigns: Set<String> { Set(campaignsByField.values) }

    private var campaignsByField: [String: String] {
        entries.reduce(into: [:]) { found, entry in
            for side in Reward.Side.allCases {
                let field = "\(side.rawValue).offer"
                if let campaign = entry.value[field] {
                    found["\(Self.name).\(entry.key).\(field)"] = campaign
                }
            }
        }
    }

    /// Returns the programs, by their keys.
    package func read() -> (rules: [String: RewardProgram], mistakes: [String]) {
        var programs: [String: RewardProgram] = [:]
        let mistakes = readEntries(atMost: Self.most, "programs") { key, fields in
            var reader = RewardProgramReader(key, fields)
            programs[key] = reader.program()
            return reader.fields.mistakes
        }
        return (programs, mistakes)
    }
}

extension AppliedStore {
    /// Returns the programs of rewards that are applied, by their keys.
    func rewardPrograms() async throws -> (version: Int64, rules: [String: RewardProgram]) {
        let found = try await read(AppliedRewards.self) ?? .init()
        let (rules, mistakes) = found.content.read()
        guard mistakes.isEmpty else { throw AppliedError.unreadable(mistakes) }
        return (found.version, rules)
    }
}
