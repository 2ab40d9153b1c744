import Events
import Kernel

/// Reads how long events are kept.
extension EventPolicy {
    init(_ settings: EnvironmentReader) {
        self.init(
            days: settings.value(
                "KITH_EVENT_DAYS", default: 30,
                SettingReading("from 1 to 3650") { Int($0).flatMap { (1...3650).contains($0) ? $0 : nil } }))
    }
}
