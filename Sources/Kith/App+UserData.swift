import Graph
import Growth
import Kernel
import Links
import Rollout

extension App {
    /// The stores that keep data about users, in the order in which a deletion removes it and an export shows
    /// it. Answers of sign-ups, links and lists of links are locked in the order of docs/rules.md.
    static let userData: [any UserDataStore.Type] = [
        UsernameStore.self, SignupStore.self, InviteStore.self, FriendStore.self, OfferStore.self,
        PurchaseStore.self, ExperimentStore.self, RewardStore.self, ClickStore.self, InstallStore.self,
        EventStore.self,
    ]
}
