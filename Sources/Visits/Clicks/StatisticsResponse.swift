package import Counts
import Hummingbird

/// What happened to a link, by day, platform and event.
package struct StatisticsResponse: ResponseEncodable {
    /// How many days the statistics cover, including today.
    package let days: Int
    /// Whose days these are.
    let timeZone: String
    /// The totals of all days and platforms. The funnel is: clicks, first opens, sign-ups, friendships.
    package let total: [String: Int]
    package let counts: [Count]

    package struct Count: Encodable {
        package let day: String
        package let event: String
        /// The platform. Nil if the event has none.
        package let platform: Click.Platform?
        package let count: Int
    }

    package init(
        _ counts: [ClickStore.Count], _ signUps: [ClickStore.SignUps]? = nil, days: Int,
        in policy: CountPolicy
    ) {
        var all = counts.map {
            Count(day: $0.day, event: $0.event.rawValue, platform: $0.platform, count: $0.count)
        }
        for day in signUps ?? [] {
            if day.count > 0 {
                all.append(Count(day: day.day, event: "signUp", platform: nil, count: day.count))
            }
            if day.friends > 0 {
                all.append(Count(day: day.day, event: "friendship", platform: nil, count: day.friends))
            }
        }
        var total: [String: Int] = [:]
        let ends = signUps == nil ? [] : ["signUp", "friendship"]
        for event in Click.Statistic.allCases.map(\.rawValue) + ends { total[event] = 0 }
        for count in all { total[count.event, default: 0] += count.count }
        (self.days, timeZone, self.total, self.counts) = (days, policy.zoneName, total, all)
    }
}
