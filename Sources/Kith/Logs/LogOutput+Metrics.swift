import Web

extension LogOutput {
    func metricsText() -> String {
        var text = MetricsText()
        text.family(
            "kith_log_dropped_total", .counter,
            "Log lines dropped because standard error did not take them.", dropped)
        return text.text
    }
}
