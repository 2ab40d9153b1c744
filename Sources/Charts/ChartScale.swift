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

    /// The scale of shares.
    static let shares = ChartScale(ticks: [0, 0.5, 1])

    private init(ticks: [Double]) { self.ticks = ticks }
}
