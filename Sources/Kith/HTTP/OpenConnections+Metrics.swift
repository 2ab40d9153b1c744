extension OpenConnections {
    /// Clients' connections: how many there are, and how many were turned away or cut off.
    func metricsText() -> String {
        let sinceStart = sinceStart
        var text = MetricsText()
        text.family("kith_http_connections", .gauge, "Connections of clients that are open.")
        text.sample("kith_http_connections", [], count)
        text.family("kith_http_connections_limit", .gauge, "Connections of clients that may be open.")
        text.sample("kith_http_connections_limit", [], limit)
        text.family(
            "kith_http_connections_refused_total", .counter,
            "Connections refused because so many were open.")
        text.sample("kith_http_connections_refused_total", [], sinceStart.refused)
        text.family(
            "kith_http_connections_slow_total", .counter,
            "Connections closed because the client was too slow, by the part it was slow with.")
        for slowness in Slowness.allCases {
            text.sample(
                "kith_http_connections_slow_total", [("part", slowness.rawValue)],
                sinceStart.slow[slowness] ?? 0)
        }
        text.family(
            "kith_http_accept_errors_total", .counter,
            "Connections that the system could not open, for want of descriptors or memory.")
        text.sample("kith_http_accept_errors_total", [], sinceStart.acceptErrors)
        return text.text
    }
}
