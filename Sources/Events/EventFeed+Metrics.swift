import Kernel
import Web

extension EventFeed {
    /// Returns the number of open streams, and up to where events are numbered.
    package func metricsText() -> String {
        var text = MetricsText()
        text.family("kith_event_streams", .gauge, "Open streams of events.", followerCount)
        let cut = sinceStart
        text.family(
            "kith_event_streams_cut_total", .counter, "Streams refused or ended for want of room, by reason.",
            by: "reason", [("address", cut.address), ("server", cut.server), ("room", cut.room)])
        text.family(
            "kith_event_last_timestamp_seconds", .gauge, "When the last event got its number, since 1970.",
            Int((last ?? 0) / 1_000_000))
        return text.text
    }
}
