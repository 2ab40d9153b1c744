/// What the calls of a day would be answered before a change and after it, as shares from 0 to 1.
package struct AnsweredCalls: Codable, Sendable {
    package let day: String
    package let calls: Int
    package let before: [String: Double]
    package let after: [String: Double]

    package init(day: String, calls: Int, before: [String: Double], after: [String: Double]) {
        (self.day, self.calls, self.before, self.after) = (day, calls, before, after)
    }
}
