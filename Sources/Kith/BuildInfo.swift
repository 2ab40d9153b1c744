internal import CCommit
import Kernel
import Operations
import Schema
import Web

/// The version of this Kith.
package enum BuildInfo {
    package static let version = "0.1.0"

    /// The commit as `make release` and the image set it, and `unknown` otherwise.
    package static let commit = String(cString: kith_commit())

    /// The newest migration that it knows, such as `0022_rewards`.
    package static let migration = Migration.all.last.map { String($0.fileName.dropLast(4)) } ?? ""

    package static let line = "kith \(version), commit \(commit), newest migration \(migration)"

    /// The metric `kith_build_info`.
    static var metricsText: String {
        var text = MetricsText()
        text.family("kith_build_info", .gauge, "Which Kith this is; always 1.")
        text.sample(
            "kith_build_info", [("version", version), ("commit", commit), ("migration", migration)], 1)
        return text.text
    }
}
