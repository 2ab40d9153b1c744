import Hummingbird
import Imports

/// What became of the lines of a file of codes. No code is in it.
package struct OfferReportResponse: ResponseEncodable {
    /// How many lines have a code.
    let lines: Int
    /// How many codes are new.
    let imported: Int
    let findings: [Finding]

    struct Finding: Encodable {
        let reason: String
        /// `repaired`, `unchanged` or `refused`.
        let kind: String
        let detail: String
        let count: Int
        /// The first of these lines, at most 100.
        let lines: [Int]
    }

    init(_ report: ImportReport) {
        (lines, imported) = (report.lines, report.imported)
        findings = report.findings.sorted { $0.reason < $1.reason }.map {
            Finding(
                reason: $0.reason.rawValue, kind: "\($0.reason.kind)", detail: $0.reason.text,
                count: $0.count, lines: $0.lines)
        }
    }
}
