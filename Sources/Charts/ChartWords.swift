import Web

/// How a picture speaks: its own few words, and how it writes numbers, shares and days.
package struct ChartWords: Sendable {
    package let tag: String
    /// How days are written.
    private let days: Days

    private enum Days {
        case english, japanese
        /// As in 2026-11-24, for languages whose own way the pictures do not know.
        case plain
    }

    package let total: String
    package let others: String
    package let unknown: String
    package let nothing: String
    /// Of a column with days, weeks or months.
    package let time: String
    package let share: String
    private let most: String
    private let latest: String
    /// Marks the first time whose numbers may still rise.
    package let growing: String

    /// Of columns with the shares of a funnel.
    let ofFirst: String
    let ofPrevious: String

    package static let english = ChartWords(
        tag: "en", days: .english, total: "Total", others: "others", unknown: "unknown",
        nothing: "Nothing was counted", time: "From", share: "Share", most: "Most", latest: "Latest",
        growing: "still growing", ofFirst: "Of the first step", ofPrevious: "Of the step before")
    package static let japanese = ChartWords(
        tag: "ja", days: .japanese, total: "合計", others: "その他", unknown: "不明", nothing: "データがありません",
        time: "日付", share: "割合", most: "最大", latest: "最新", growing: "集計中", ofFirst: "最初の段階比",
        ofPrevious: "前段階比")

    private static let languages = ["en", "ja"].compactMap { Language($0) }

    /// Chooses the language: what a query wishes, or else what `Accept-Language` prefers.
    static func chosen(_ wish: String?, acceptLanguage: String?) -> ChartWords {
        let all = Languages(standard: languages[0], all: languages)
        return all.chosen(wish, acceptLanguage: acceptLanguage).tag == "ja" ? .japanese : .english
    }

    /// The words of a page in any language, which brings its own.
    package static func page(
        _ tag: String, total: String, nothing: String, time: String
    ) -> ChartWords {
        let own: ChartWords = tag == "ja" ? .japanese : .english
        let days: Days = tag == "ja" ? .japanese : tag == "en" ? .english : .plain
        return ChartWords(
            tag: tag, days: days, total: total, others: own.others, unknown: own.unknown, nothing: nothing,
            time: time, share: own.share, most: own.most, latest: own.latest, growing: own.growing,
            ofFirst: own.ofFirst, ofPrevious: own.ofPrevious)
    }

    private init(
        tag: String, days: Days, total: String, others: String, unknown: String, nothing: String,
        time: String, share: String, most: String, latest: String, growing: String, ofFirst: String,
        ofPrevious: String
    ) {
        (self.tag, self.days, self.total, self.others, self.unknown) = (tag, days, total, others, unknown)
        (self.nothing, self.time, self.share, self.most) = (nothing, time, share, most)
        (self.latest, self.growing) = (latest, growing)
        (self.ofFirst, self.ofPrevious) = (ofFirst, ofPrevious)
    }
}

/// How it writes numbers.
extension ChartWords {
    /// Returns a number short enough for an axis: 999, 12k, 3.4M; in Japanese 1.2万 and 3.4億.
    func short(_ number: Double) -> String {
        let units: [(Double, String)] =
            days == .japanese
            ? [(1e12, "兆"), (1e8, "億"), (1e4, "万")] : [(1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")]
        guard number >= 10_000, let unit = units.first(where: { number >= $0.0 }) else {
            return Int(number).grouped
        }
        let amount = number / unit.0
        return (amount >= 1000 ? Int(amount).grouped : amount.written) + unit.1
    }

    /// Returns how long something took, in whole units.
    package func duration(_ seconds: Int) -> String {
        duration(seconds, in: ChartDuration(fitting: seconds))
    }

    func duration(_ seconds: Int, in unit: ChartDuration) -> String {
        let count = Int((Double(seconds) / Double(unit.rawValue)).rounded()).grouped
        guard days == .japanese else { return "\(count) \(unit)" }
        return count + ([.seconds: "秒", .minutes: "分", .hours: "時間", .days: "日"][unit] ?? "")
    }

    /// Returns how much of the whole a part is, in whole per cent.
    package func share(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "–" }
        let percent = Double(part) / Double(whole) * 100
        if part > 0, percent < 1 { return "<1%" }
        return "\(Int(part < whole ? min(99, percent.rounded()) : percent.rounded()))%"
    }

    /// Returns a number, and how much of the whole it is.
    func counted(_ part: Int, of whole: Int) -> String {
        "\(share(part, of: whole)) (\(part.grouped))"
    }

    /// Says what the shares in a funnel are of.
    package var funnel: String { list(["%: \(lowered(ofFirst))", "↓: \(lowered(ofPrevious))"]) }

    private func lowered(_ text: String) -> String { text.prefix(1).lowercased() + text.dropFirst() }

    func list(_ parts: [String]) -> String { parts.joined(separator: days == .japanese ? "、" : ", ") }

    func sentence(_ parts: [String]) -> String {
        parts.joined(separator: days == .japanese ? "：" : ": ") + (days == .japanese ? "。" : ".")
    }

    /// Says what the largest number is, and when it was.
    func most(_ number: Int, on time: String) -> String { said(most, number, on: time) }

    /// Says what the last number is, and when it was.
    func latest(_ number: Int, on time: String) -> String { said(latest, number, on: time) }

    private func said(_ word: String, _ number: Int, on time: String) -> String {
        switch days {
        case .english: "\(word) \(number.grouped) on \(time)"
        case .japanese: "\(word) \(number.grouped)（\(time)）"
        case .plain: "\(number.grouped) (\(time))"
        }
    }
}

/// How it writes days.
extension ChartWords {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns a day, as in `Nov 24, 2026`, or the month that begins on it.
    package func time(_ text: String, _ unit: ChartUnit = .day) -> String {
        guard let day = ChartDay(text) else { return text }
        if unit == .month { return month(day, withYear: true) }
        switch days {
        case .english: return "\(Self.months[day.month - 1]) \(day.day), \(day.year)"
        case .japanese: return "\(day.year)年\(day.month)月\(day.day)日"
        case .plain: return text
        }
    }

    /// Says that a time is not over.
    package func unfinished(_ text: String, _ unit: ChartUnit) -> String {
        switch days {
        case .english: "not over: \(time(text, unit))"
        case .japanese: "集計中：\(time(text, unit))"
        case .plain: "… \(time(text, unit))"
        }
    }

    /// Returns a number of days after something began.
    func after(_ count: Int) -> String {
        switch days {
        case .english: count == 1 ? "1 day" : "\(count) days"
        case .japanese: "\(count)日"
        case .plain: "\(count)"
        }
    }

    /// Returns a day without its year, for an axis.
    func tick(_ text: String) -> String {
        guard let day = ChartDay(text) else { return text }
        switch days {
        case .english: return "\(Self.months[day.month - 1]) \(day.day)"
        case .japanese: return "\(day.month)/\(day.day)"
        case .plain: return String(text.suffix(5))
        }
    }

    func month(_ day: ChartDay, withYear: Bool) -> String {
        let padded = day.month < 10 ? "0\(day.month)" : "\(day.month)"
        return switch days {
        case .english: Self.months[day.month - 1] + (withYear ? " \(day.year)" : "")
        case .japanese: (withYear ? "\(day.year)年" : "") + "\(day.month)月"
        case .plain: withYear ? "\(day.year)-\(padded)" : padded
        }
    }

    func year(_ day: ChartDay) -> String { "\(day.year)\(days == .japanese ? "年" : "")" }

    /// Returns the days from one to another, with a year that both have only once.
    package func span(_ first: String, _ last: String) -> String {
        guard first != last else { return time(first) }
        guard let one = ChartDay(first), let other = ChartDay(last), one.year == other.year else {
            return "\(time(first)) – \(time(last))"
        }
        switch days {
        case .english: return "\(tick(first)) – \(time(last))"
        case .japanese: return "\(time(first)) – \(other.month)月\(other.day)日"
        case .plain: return "\(first) – \(last)"
        }
    }

    /// Returns of how much time each number is.
    package func per(_ unit: ChartUnit, _ count: Int = 1) -> String {
        switch days {
        case .japanese:
            let word = [ChartUnit.day: "日", .week: "週", .month: "月"][unit] ?? ""
            let several = [ChartUnit.day: "日", .week: "週間", .month: "か月"][unit] ?? ""
            return count == 1 ? "\(word)ごと" : "\(count)\(several)ごと"
        default:
            return count == 1 ? "per \(unit.rawValue)" : "per \(count) \(unit.rawValue)s"
        }
    }
}
