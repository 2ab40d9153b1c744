extension EventFeed {
    /// Open streams, and how far events are numbered.
    func metricsText() -> String {
        var text = MetricsText()
        text.family("kith_event_streams", .gauge, "Open streams of events.")
        text.sample("kith_event_streams", [], followerCount)
        text.family(
            "kith_event_last_timestamp_seconds", .gauge, "When the last event got its number, since 1970.")
        text.sample("kith_event_last_timestamp_seconds", [], Int((last ?? 0) / 1_000_000))
        return text.text
    }
}
