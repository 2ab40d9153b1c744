import Web

extension CardRenderer {
    /// Returns how many cards wait, and what happened to the others.
    package func metricsText() -> String {
        let counts = counts
        var text = MetricsText()
        func family(_ name: String, _ kind: MetricsText.Kind, _ help: String, _ value: Int) {
            text.family("kith_cards_\(name)", kind, help, value)
        }
        family("waiting", .gauge, "Cards waiting or being drawn.", waiting)
        family("drawn_total", .counter, "Cards drawn.", counts.drawn)
        family(
            "refused_total", .counter, "Requests for cards refused because too many were waiting.",
            counts.refused)
        family(
            "without_picture_total", .counter,
            "Requests for cards while the user's picture could not be had.", counts.withoutFace)
        return text.text
    }
}
