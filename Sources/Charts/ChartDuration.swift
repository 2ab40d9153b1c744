/// The units in which pictures and terminals tell how long something took, by their seconds.
enum ChartDuration: Int, CaseIterable {
    case seconds = 1
    case minutes = 60
    case hours = 3600
    case days = 86_400

    /// The largest unit of which there are at least two.
    init(fitting seconds: Int) {
        self = Self.allCases.last { seconds >= 2 * $0.rawValue } ?? .seconds
    }
}
