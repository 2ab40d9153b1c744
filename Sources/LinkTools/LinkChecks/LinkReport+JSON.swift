import Pictures
import Web

extension LinkReport {
    /// Returns the report for programs.
    package func json() throws -> String {
        let document = Document(
            target: visit.source.name, errors: count("error"), warnings: count("warning"),
            notes: count("note"),
            findings: findings.map(Document.Finding.init),
            urls: tests.flatMap { test in test.results.map { Document.Tested(test.url.text, $0) } })
        return try JSON.text(document)
    }

    private func count(_ severity: String) -> Int {
        findings.count { $0.fault.severity.rawValue == severity }
    }

    private struct Document: Encodable {
        let target: String
        let errors: Int
        let warnings: Int
        let notes: Int
        let findings: [Finding]
        let urls: [Tested]

        struct Finding: Encodable {
            let name: String
            let severity: String
            let file: String
            let place: String
            let line: Int?
            let what: String
            let why: String
            let mend: String

            init(_ finding: LinkFinding) {
                (name, severity) = (finding.fault.name, finding.fault.severity.rawValue)
                (file, place, line) = (finding.file.rawValue, finding.place.printable, finding.line)
                (what, why, mend) = (finding.what.printable, finding.fault.why, finding.fault.mend)
            }
        }

        struct Tested: Encodable {
            let url: String
            let app: String
            let systems: String
            /// Whether the URL opens the app. Absent if only the app's manifest decides.
            let opens: Bool?
            let rule: String?

            init(_ url: String, _ result: LinkTest.Result) {
                self.url = url
                (app, systems, opens) = (result.app.printable, result.systems, result.opens)
                rule = result.rule.map { "\($0.place) \($0.text)".printable }
            }
        }
    }
}

extension String {
    /// The text without what controls a terminal, on which it may be printed.
    fileprivate var printable: String { drawable(limit: 1000) }
}
