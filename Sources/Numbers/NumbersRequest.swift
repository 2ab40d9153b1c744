import Charts
import Counts
import Foundation
import Kernel
import Web

/// What a call asks of a measure.
struct NumbersRequest: Equatable, Sendable {
    var span: DaySpan
    /// The lengths of time that are summed.
    var per: ChartUnit
    /// By what the numbers divide. Nil: by nothing.
    var by: CountDimension?
    /// The value of a dimension that is asked for alone. Nil: all.
    var only: Only?
    /// The values that are asked for alone, of a measure that has sums of them.
    var filters: [CountDimension: String] = [:]
    var part = Part.everything
    /// The tag of the links that are asked for, instead of a part.
    var tag: LinkTag?
    /// How many values of a dimension are shown. The others are summed.
    var limit = 20
    /// The first day of which something may still be counted.
    var firstOpenDay = ""

    /// How many numbers an answer has at most, so that no call takes the processor for long: of each value
    /// one for each time.
    static let mostNumbers = 20_000
    private static let usualLimit = 20

    /// The same times and value, undivided and of everything.
    var ofBase: NumbersRequest {
        var request = self
        (request.by, request.tag, request.part) = (nil, nil, .everything)
        return request
    }

    struct Only: Equatable, Sendable {
        var dimension: CountDimension
        var value: String
    }

    /// Of what numbers are asked.
    enum Part: Equatable, Sendable {
        case everything
        /// A domain of deep links, or the URL of a short link.
        case domain(String), link(String)

        /// The subject of `counts`.
        var subject: String {
            switch self {
            case .everything: ""
            case .domain(let text): "domain \(text)"
            case .link(let url): url
            }
        }
    }

    /// The parameters of the query. Dimensions are filters, too.
    static let parameters =
        ["from", "to", "per", "by", "limit", "domain", "link", "tag"]
        + CountDimension.allCases.map(\.rawValue)

    /// - Parameter isTotal: whether all days become one number, to which old months may be added.
    init(
        _ query: Query, of measure: Measure, now: Date, _ policy: CountPolicy, isTotal: Bool = false
    ) throws(Problem) {
        per = try Self.unit(query) ?? (measure.counting == .months ? .month : .day)
        span =
            isTotal
            ? try DaySpan(query, now: now, in: policy.zone, most: 3660)
                .withWholeMonths(before: policy.firstDay(now: now))
            : try Self.span(query, of: measure, now: now, policy, per)
        firstOpenDay = DaySpan.day(
            of: now.addingTimeInterval(-86_400 * Double(measure.growsFor)), in: policy.zone)
        if let text = try query.value("by") {
            by = try Self.dimension(text, "by", of: measure)
        }
        try readValues(query, of: measure)
        if !measure.addsUp, only == nil, by == nil { by = .item }
        limit = try Self.limit(query, span, per, isDivided: by != nil)
        part = try Self.part(query, of: measure)
        tag = try Self.tag(query, of: measure)
    }

    /// Reads the dimensions of which one value is asked for.
    private mutating func readValues(_ query: Query, of measure: Measure) throws(Problem) {
        for dimension in CountDimension.allCases {
            guard let value = try query.value(dimension.rawValue) else { continue }
            if measure.scope == .versions {
                filters[try Self.dimension(of: value, dimension, measure)] = value
                continue
            }
            guard only == nil else {
                throw .invalid(dimension.rawValue, "must be the only dimension that is filtered by")
            }
            guard by == nil else { throw .invalid(dimension.rawValue, "must not stand beside `by`") }
            only = Only(dimension: try Self.dimension(of: value, dimension, measure), value: value)
        }
    }

    /// Reads how many values are shown. Without a word of it there are as many as an answer has room for.
    private static func limit(
        _ query: Query, _ span: DaySpan, _ per: ChartUnit, isDivided: Bool
    ) throws(Problem) -> Int {
        let days = span.days.count
        let times = per == .day ? days : days / (per == .week ? 7 : 28) + 2
        let room = isDivided ? mostNumbers / times : mostNumbers
        guard let text = try query.value("limit") else { return min(usualLimit, room) }
        guard let limit = Int(text), (1...100).contains(limit) else {
            throw .invalid("limit", "must be from 1 to 100")
        }
        guard limit <= room else {
            throw .invalid(
                "limit",
                "must be at most \(room) here, since an answer has at most \(mostNumbers) numbers: of more values ask by week or month, or fewer days"
            )
        }
        return limit
    }

    private static func unit(_ query: Query) throws(Problem) -> ChartUnit? {
        guard let text = try query.value("per") else { return nil }
        guard let unit = ChartUnit(rawValue: text) else {
            throw .invalid("per", "must be day, week or month")
        }
        return unit
    }

    /// Reads the days. Of weeks and months they are all, so that none is cut.
    private static func span(
        _ query: Query, of measure: Measure, now: Date, _ policy: CountPolicy, _ per: ChartUnit
    ) throws(Problem) -> DaySpan {
        let span = try DaySpan(query, now: now, in: policy.zone, most: 3660)
        if measure.counting == .months, per != .month {
            throw .invalid("per", "must be month: \(measure.name) is counted by month")
        }
        guard per != .month else { return span.withWholeMonths(before: DaySpan.end) }
        let firstDay = measure.becomesMonths ? policy.firstDay(now: now) : ""
        guard span.first >= firstDay else {
            throw .invalid(
                "from", "must be \(firstDay) or later, or `per` must be month: older days are months")
        }
        return per == .week ? span.withWholeWeeks(from: firstDay) : span
    }

    private static func dimension(_ text: String, _ field: String, of measure: Measure) throws(Problem)
        -> CountDimension
    {
        guard let dimension = CountDimension(rawValue: text), measure.dimensions.contains(dimension) else {
            let all = measure.dimensions.map(\.rawValue)
            throw .invalid(
                field,
                all.isEmpty
                    ? "must be absent: \(measure.name) does not divide"
                    : "must be one of \(all.joined(separator: ", ")) for \(measure.name)")
        }
        return dimension
    }

    /// Returns the dimension. Throws a 400 for a value that Kith never gives it.
    private static func dimension(
        of value: String, _ dimension: CountDimension, _ measure: Measure
    ) throws(Problem) -> CountDimension {
        let found = try Self.dimension(dimension.rawValue, dimension.rawValue, of: measure)
        if let all = measure.values(of: found), !all.contains(value) {
            throw .invalid(
                found.rawValue, "must be one of \(all.joined(separator: ", ")) for \(measure.name)")
        }
        return found
    }

    private static func tag(_ query: Query, of measure: Measure) throws(Problem) -> LinkTag? {
        guard let tag = try LinkTag(query) else { return nil }
        guard measure.filters.contains("tag") else {
            throw .invalid(
                "tag",
                measure.scope == .links
                    ? "must be absent: \(measure.name) of several links may be the same ones"
                    : "must be absent: \(measure.name) is not of links")
        }
        for other in ["domain", "link"] where try query.value(other) != nil {
            throw .invalid("tag", "must not stand beside `\(other)`")
        }
        return tag
    }

    private static func part(_ query: Query, of measure: Measure) throws(Problem) -> Part {
        let (domain, link) = (try query.value("domain"), try query.value("link"))
        guard let (field, text) = domain.map({ ("domain", $0) }) ?? link.map({ ("link", $0) }) else {
            return .everything
        }
        guard measure.scope == .links else {
            throw .invalid(field, "must be absent: \(measure.name) is not of links")
        }
        guard domain == nil || link == nil else { throw .invalid("link", "must not stand beside `domain`") }
        guard text.utf8.count <= 2000 else { throw .invalid(field, "must be shorter") }
        return domain == nil ? .link(text) : .domain(text)
    }
}
