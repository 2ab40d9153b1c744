import Counts
import Foundation
import Kernel
import Links
import Rollout
import Visits
import Web

/// The sums of the demo's year: it grows, weekends are busier, and a campaign of four weeks brings many.
extension DemoYear {
    private static let length = 365

    /// A day of the year.
    struct Day {
        /// Such as `2026-11-24`.
        let name: String
        /// How many days after the first.
        let place: Int
        /// How busy it was, beside a day in the middle of the year.
        let weight: Double
        /// How much of the campaign there was, from 0 to 1.
        let campaign: Double
    }

    /// How a count divides: each value with its share.
    typealias Shares = KeyValuePairs<String, Double>

    /// The days before today, from a year ago on.
    var days: [Day] {
        (0..<Self.length).map { place in
            let time = app.world.now().addingTimeInterval(Double(place - Self.length) * 86_400)
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = app.config.counts.zone
            let isWeekend = [1, 7].contains(calendar.component(.weekday, from: time))
            let campaign = (200..<228).contains(place) ? 1 - Double(place - 200) / 28 : 0
            let noise = 1 + 0.12 * sin(Double(place) * 2.7) + 0.06 * sin(Double(place) * 7.1)
            let growth = 0.4 + 1.2 * Double(place) / Double(Self.length)
            return Day(
                name: DaySpan.day(of: time, in: app.config.counts.zone), place: place,
                weight: growth * (isWeekend ? 1.3 : 1) * noise + campaign, campaign: campaign)
        }
    }

    /// All sums of the year.
    var sums: [Tally.Key: DaySum] {
        var sums: [Tally.Key: DaySum] = [:]
        let subjects = linkSubjects
        for day in days {
            for (measure, perDay, divisions) in Self.measures(on: day) {
                let sum = Self.sum(perDay * day.weight, divisions)
                for subject in measure.hasPrefix("links.") ? subjects : [""] where sum.count > 0 {
                    sums[Tally.Key(subject, measure, on: day.name)] = sum
                }
            }
            for (count, calls) in Self.versionCalls(on: day) {
                let key = Tally.Key(count.subject(on: nil), "versions.installations", on: day.name)
                sums[key] = Self.sum(Double(calls) * 0.45, [:])
            }
            if day.name.hasSuffix("-01") {
                sums[Tally.Key("", "people.active_monthly", on: day.name)] = Self.sum(4200 * day.weight, [:])
            }
        }
        return sums
    }

    private var domains: [LinkDomain] { (try? LinkedProject(app.config).domains) ?? [] }

    /// The demo's short link.
    private var link: ClickedLink? { domains.first.map { .short($0.text, code: "lantern") } }

    /// The demo's short link, its domain and everything.
    private var linkSubjects: [String] {
        link.map { CountSubject.ofDeepLink($0.text, in: domains) } ?? [""]
    }

    /// How often the demo's link was opened.
    func clicks(in sums: [Tally.Key: DaySum]) -> [ClickedLink: Int] {
        guard let link else { return [:] }
        let opened = sums.filter {
            $0.key.subject == link.text && ["links.page", "links.redirect"].contains($0.key.measure)
        }
        return [link: opened.reduce(0) { $0 + Int($1.value.count) }]
    }

    private static func sum(_ count: Double, _ divisions: [CountDimension: Shares]) -> DaySum {
        var sum = DaySum()
        sum.count = Int64(count.rounded())
        sum.parts = CountParts(
            divisions.mapValues { shares in
                var (left, values) = (sum.count, [String: Int64]())
                for (value, share) in shares {
                    values[value] = min(left, Int64((count * share).rounded()))
                    left -= values[value] ?? 0
                }
                return values.filter { $0.value > 0 }
            })
        return sum
    }

    private static let countries: Shares = ["JP": 0.55, "US": 0.2, "KR": 0.1, "DE": 0.08, "BR": 0.05]
    private static let languages: Shares = ["ja": 0.56, "en": 0.27, "ko": 0.1, "de": 0.05]
    private static let platforms: Shares = ["ios": 0.58, "android": 0.36, "desktop": 0.06]
    private static let phones: Shares = ["ios": 0.6, "android": 0.4]

    /// What happened on a day in the middle of the year, and how it divides.
    private static func measures(on day: Day) -> [(String, Double, [CountDimension: Shares])] {
        let launch = 0.1 + 0.6 * day.campaign
        let campaigns: Shares = ["launch": launch, "newsletter": 0.2 * (1 - launch)]
        let visit: [CountDimension: Shares] = [
            .platform: platforms, .country: countries, .language: languages, .campaign: campaigns,
            .referrer: ["www.instagram.com": 0.2, "t.co": 0.12, "www.google.com": 0.08],
            .source: ["instagram": launch, "mail": 0.2 * (1 - launch)], .medium: ["social": launch],
            .browser: ["line": 0.3, "instagram": 0.15], .via: ["qr": 0.09],
        ]
        let origin: [CountDimension: Shares] = [
            .platform: phones, .country: countries, .language: languages, .campaign: campaigns,
        ]
        // Of these there are not fewer on a quiet day.
        let accounts = 24_000 * (0.4 + 1.2 * Double(day.place) / Double(length)) / day.weight
        let friends: Shares = ["0": 0.3, "1": 0.2, "2-4": 0.25, "5-9": 0.15, "10-19": 0.1]
        let kind: [CountDimension: Shares] = [.kind: ["name": 0.7, "custom": 0.2, "personal": 0.1]]
        let invite = visit.merging(kind) { $1 }
        return [
            ("links.page", 260, visit), ("links.redirect", 90, visit),
            ("links.install", 45, [.platform: phones]),
            ("links.firstOpen", 43, [.platform: phones]), ("links.reopen", 60, [.platform: phones]),
            ("links.sign_ups", 31, origin), ("links.friendships", 12, [:]),
            ("invites.page", 420, invite), ("invites.tap", 210, invite),
            ("invites.install", 110, [.platform: phones]), ("invites.firstOpen", 104, [.platform: phones]),
            ("invites.sign_ups", 82, origin.merging(kind) { $1 }), ("invites.friendships", 76, kind),
            ("invites.time_to_share", 160, [.seconds: ["53": 0.3, "2896": 0.45, "155871": 0.25]]),
            ("invites.time_to_friendship", 76, [.seconds: ["128": 0.6, "1448": 0.3, "77935": 0.1]]),
            ("people.accounts", accounts, [.friends: friends]),
            ("invites.passed_on", 22, [:]), ("invites.made", 35, [.kind: ["custom": 0.8, "personal": 0.2]]),
            ("cohorts.opened_7", 95, [:]), ("cohorts.opened_30", 60, [:]), ("cohorts.joined_7", 48, [:]),
            ("cohorts.joined_30", 26, [:]),
            ("people.sign_ups", 190, origin.merging([.cause: ["invited": 0.43, "alone": 0.57]]) { $1 }),
            ("people.active", 1400, [:]), ("people.deletions", 6, [:]), ("people.renames", 9, [:]),
            ("friendships.made", 130, [.cause: ["invite": 0.58, "other": 0.42]]),
            ("friendships.ended", 11, [:]),
            ("friendships.requested", 70, [:]),
            ("friendships.answered", 61, [.cause: ["accepted": 0.8, "declined": 0.1, "withdrawn": 0.1]]),
            ("rewards.earned", 80, [.item: ["friends": 1]]),
            ("rewards.approved", 74, [.item: ["friends": 1]]),
            ("rewards.flagged", 4, [.item: ["friends": 1], .cause: ["address": 0.7, "haste": 0.3]]),
        ]
    }

    /// The share of each version on a day: each release takes what its predecessor had.
    /// - Parameter pace: how slowly a platform's phones update, beside iPhones.
    private static func versions(on day: Day, pace: Double) -> Shares {
        func spread(_ release: Int, _ days: Double) -> Double {
            day.place < release ? 0 : 1 - exp(-Double(day.place - release) / days / pace)
        }
        let (one, two, three) = (spread(60, 22), spread(200, 13), spread(330, 7))
        return [
            "2.9": 1 - one, "3.10": one * (1 - two), "3.13": one * two * (1 - three),
            "3.19": one * two * three,
        ]
    }

    /// The calls by which apps asked for the update policy.
    var versionCalls: [VersionCount: Int] {
        days.reduce(into: [:]) { calls, day in calls.merge(Self.versionCalls(on: day)) { $1 } }
    }

    private static func versionCalls(on day: Day) -> [VersionCount: Int] {
        var calls: [VersionCount: Int] = [:]
        for (platform, part, pace) in [(AppPlatform.ios, 0.6, 1.0), (.android, 0.4, 1.7)] {
            for (version, share) in versions(on: day, pace: pace) {
                let action = platform == .android || version == "3.19" ? UpdatePolicy.Action.none : .soft
                let count = VersionCount(
                    day: day.name, app: "", platform: platform, version: version, action: action)
                calls[count] = Int(2600 * day.weight * share * part)
            }
        }
        return calls.filter { $0.value > 0 }
    }
}
