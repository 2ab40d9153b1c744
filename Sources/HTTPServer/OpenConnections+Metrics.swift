import Web

extension OpenConnections {
    /// Returns how many client connections are open, and how many were refused or cut off.
    package func metricsText() -> String {
        let sinceStart = sinceStart
        var text = MetricsText()
        text.family("kith_http_connections", .gauge, "Open client connections.")
        text.sample("kith_http_connections", [], count)
        text.family("kith_http_connections_limit", .gauge, "Limit of open client connections.")
        text.sample("kith_http_connections_limit", [], limit)
        text.family(
            "kith_http_connections_refused_total", .counter,
            "Connections refused because too many were open.")
        text.sample("kith_http_connections_refused_total", [], sinceStart.refused)
        text.family(
            "kith_http_connections_slow_total", .counter,
            "Connections closed because the client was too slow, by what it was slow with.")
        for slowness in Slowness.allCases {
            text.sample(
                "kith_http_connections_slow_total", [("part", slowness.rawValue)],
                sinceStart.slow[slowness] ?? 0)
        }
        text.family(
            "kith_http_accept_errors_total", .counter,
            "Connections that the system could not open for lack of descriptors or memory.")
        text.sample("kith_http_accept_errors_total", [], sinceStart.acceptErrors)
        return text.text
    }
}
