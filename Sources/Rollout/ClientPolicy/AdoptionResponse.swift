import Counts
import Foundation
import Hummingbird
import Kernel
import Web

/// How releases of an app spread.
struct AdoptionResponse: ResponseEncodable {
    let platform: AppPlatform
    let app: String?
    /// The last day that is looked at.
    let to: String
    let timeZone: String
    let releases: [Release]

    struct Release: Encodable {
        let version: String
        let firstDay: String?
        let seen: Bool
        let mayBeOlder: Bool
        /// By day since the first: how many installations there were, how many had it or a newer version, and
        /// which share that is. Nil where there were none.
        let installations: [Int]
        let counts: [Int]
        let shares: [Double?]
        let daysToHalf: Int?
        let daysToNineTenths: Int?
        let policies: [Policy]
    }

    struct Policy: Encodable {
        let key: String
        let action: UpdatePolicy.Action
        let from: Date?
        let day: Int?
    }

    init(
        _ adoption: Adoption, of app: String?, on platform: AppPlatform, to: String, _ numbers: CountPolicy
    ) {
        (self.platform, self.app, self.to, timeZone) = (platform, app, to, numbers.zoneName)
        releases = adoption.releases.map { release in
            Release(
                version: "\(release.version)", firstDay: release.firstDay, seen: release.isSeen,
                mayBeOlder: release.mayBeOlder,
                installations: release.days.map(\.whole), counts: release.days.map(\.count),
                shares: release.days.map { JSON.share($0.count, of: $0.whole) },
                daysToHalf: release.half, daysToNineTenths: release.nineTenths,
                policies: release.policies.map {
                    Policy(key: $0.key, action: $0.action, from: $0.from, day: $0.day)
                })
        }
    }
}
