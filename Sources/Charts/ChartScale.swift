/// The ticks of an axis from 0 on: round numbers, two to five of them.
struct ChartScale: Equatable {
    let ticks: [Double]

    var top: Double { ticks.last ?? 1 }

    /// - Parameter most: the largest number that is drawn.
    init(most: Double) {
        let most = max(1, most)
        var unit = 1.0
        while unit * 10 <= most / 4 { unit *= 10 }
        let step = [1, 2, 5, 10].map { $0 * unit }.first { $0 * 4 >= most } ?? unit * 10
        ticks = (0...Int((most / step).rounded(.up))).map { Double($0) * step }
    }

    /// - Parameter most: the largest share, which may be more than the whole.
    init(mostShare most: Double) { ticks = ChartScale(most: most * 100).ticks.map { $0 / 100 } }

    /// - Parameter seconds: how long the longest took.
    init(longest seconds: Int) {
        let unit = Double(ChartDuration(fitting: seconds).rawValue)
        ticks = ChartScale(most: Double(seconds) / unit).ticks.map { $0 * unit }
    }

    /// The scale of parts of a whole.
    static let shares = ChartScale(ticks: [0, 0.5, 1])

    private init(ticks: [Double]) { self.ticks = ticks }
}
