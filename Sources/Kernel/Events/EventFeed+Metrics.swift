import Web

extension EventFeed {
    /// Returns the number of open streams, and up to where events are numbered.
    package func metricsText() -> String {
        var text = MetricsText()
        text.family("kith_event_streams", .gauge, "Open streams of events.")
        text.sample("kith_event_streams", [], followerCount)
        let cut = sinceStart
        text.family(
            "kith_event_streams_cut_total", .counter, "Streams refused or ended for want of room, by reason.")
        for (reason, count) in [("address", cut.address), ("server", cut.server), ("room", cut.room)] {
            text.sample("kith_event_streams_cut_total", [("reason", reason)], count)
        }
        text.family(
            "kith_event_last_timestamp_seconds", .gauge, "When the last event got its number, since 1970.")
        text.sample("kith_event_last_timestamp_seconds", [], Int((last ?? 0) / 1_000_000))
        return text.text
    }
}
