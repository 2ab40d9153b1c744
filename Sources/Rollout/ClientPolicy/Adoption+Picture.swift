import Charts
import Foundation
import Web

extension Adoption {
    /// Draws the releases as lines that are laid over each other, with a ring where a policy begins.
    /// - Parameter scope: whose installations these are.
    func picture(_ scope: [String], _ words: ChartWords, width: Int) -> ChartPicture {
        let texts = VersionTexts(words)
        let series = releases.enumerated().map { look, release in
            AgeChart.Series(
                "\(release.version)", release.days, look: look,
                marks: release.policies.compactMap { policy in policy.day.map { ($0, policy.key) } })
        }
        let marked = [
            (texts.mayBeOlder, releases.filter(\.mayBeOlder)), (texts.unseen, releases.filter { !$0.isSeen }),
        ]
        let notes =
            scope + [texts.sinceFirstDay]
            + marked.filter { !$0.1.isEmpty }.map { word, releases in
                "\(word): \(releases.map { "\($0.version)" }.joined(separator: ", "))"
            }
        return ChartPicture(
            title: texts.releases, notes: notes, charts: [AgeChart(series: series)], words, width: width)
    }

    /// A table for spreadsheets: a line a day since the first, a column a release.
    var table: CSV {
        let length = releases.map(\.days.count).max() ?? 0
        let rows = (0..<length).map { day in
            ["\(day)"]
                + releases.map { release in
                    guard release.days.indices.contains(day) else { return "" }
                    let (count, whole) = release.days[day]
                    return JSON.share(count, of: whole).map { "\($0)" } ?? ""
                }
        }
        return CSV(name: "adoption", rows: [["day"] + releases.map { "\($0.version)" }] + rows)
    }
}
