/// The length of time that each number of a chart is of.
package enum ChartUnit: String, Sendable {
    case day, week, month
}
