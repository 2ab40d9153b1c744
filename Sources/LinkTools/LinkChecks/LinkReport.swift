import Kernel
import Pictures

/// What `kith check-links` found out about a host or a folder.
package struct LinkReport: Sendable {
    let visit: LinkVisit
    let apps: [AssociatedApp]
    /// The findings, the worst first.
    let findings: [LinkFinding]
    let tests: [LinkTest]

    init(_ visit: LinkVisit, _ expectations: LinkExpectations, _ urls: [TestedURL] = []) {
        let checks = LinkVisitChecks(visit: visit)
        var (findings, apps) = (checks.common, [AssociatedApp]())
        func read(_ answer: LinkVisit.Answer?) {
            guard let answer else { return }
            let (own, tree) = checks.check(answer)
            findings += own
            guard let tree else { return }
            if answer.file == .android {
                let association = AndroidAssociation(tree)
                (findings, apps) = (findings + association.findings, apps + association.apps)
            } else {
                let association = AppleAssociation(tree)
                (findings, apps) = (findings + association.findings, apps + association.apps)
            }
        }
        read(visit[.apple])
        findings += checks.root
        if visit.apple?.file == .oldApple { read(visit.apple) }
        read(visit[.android])
        if visit.isReached { findings += expectations.findings(apps) }
        (self.visit, self.apps) = (visit, apps)
        let order = LinkFault.Severity.allCases
        self.findings = order.flatMap { severity in findings.filter { $0.fault.severity == severity } }
        tests = urls.map { LinkTest($0, apps, host: visit.source.authority) }
    }

    /// Whether there is no error.
    package var isSound: Bool { count(.error) == 0 }

    private func count(_ severity: LinkFault.Severity) -> Int {
        findings.count { $0.fault.severity == severity }
    }

    /// The counts, as in `1 error, 2 warnings, 3 notes`.
    package var summary: String {
        LinkFault.Severity.allCases.map { severity in
            let count = count(severity)
            return "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
        }.joined(separator: ", ")
    }

    /// The report for a person at a terminal, without anything that controls the terminal, whoever wrote the
    /// files.
    package var lines: [String] { text.map { $0.drawable(limit: 1000) } }

    private var text: [String] {
        var lines: [String] = []
        for (title, files, reader) in sections {
            lines += [title]
            for app in apps where app.reader == reader { lines.append("  \(app.sentence)") }
            let own = findings.filter { files.contains($0.file) }
            lines += LinkFinding.lines(of: own)
            if own.isEmpty { lines.append("  nothing to mend") }
            lines.append("")
        }
        if visit.isReached { for test in tests { lines += self.lines(of: test) + [""] } }
        lines.append(summary)
        let next = nextSteps
        return next.isEmpty ? lines : lines + ["", "next:"] + next.map { "  \($0)" }
    }

    private var sections: [(title: String, files: [AssociationFile], reader: PathPattern.Reader?)] {
        var sections: [(String, [AssociationFile], PathPattern.Reader?)] = []
        if findings.contains(where: { $0.file == .host }) {
            sections.append((visit.source.name, [.host], nil))
        }
        for (answer, files) in [
            (visit.apple, [AssociationFile.apple, .oldApple]), (visit[.android], [.android]),
        ] {
            guard let answer, !answer.isMissing || findings.contains(where: { files.contains($0.file) })
            else {
                continue
            }
            let first = answer.file == .oldApple ? visit[.apple] : nil
            let address = first.flatMap { $0.isMissing ? nil : $0.address } ?? answer.address
            sections.append((address, files, answer.file.reader))
        }
        return sections
    }

    private func lines(of test: LinkTest) -> [String] {
        guard test.isOfHost else {
            return [
                test.url.text,
                "  is of another host than \(visit.source.name), whose files say nothing about it",
            ]
        }
        guard !test.results.isEmpty else { return [test.url.text, "  opens the browser: there is no app"] }
        return [test.url.text] + test.results.map { "  \($0.app), \($0.systems): \($0.text)" }
    }

    /// Commands that ask devices, Apple and Google.
    private var nextSteps: [String] {
        guard case .host(let scheme, let host, _) = visit.source, !apps.isEmpty else { return [] }
        var steps: [String] = []
        for test in tests where test.isOfHost {
            let url = (test.url.host == nil ? visit.source.name : "") + test.url.text
            let quoted = "'\(url.replacing("'", with: "%27"))'"
            if apps.contains(where: { $0.reader == .apple }) {
                steps.append("xcrun simctl openurl booted \(quoted)")
            }
            if apps.contains(where: { $0.reader == .google }) {
                steps.append("adb shell am start -W -a android.intent.action.VIEW -d \"\(quoted)\"")
            }
        }
        for app in apps where app.reader == .google { steps.append("adb shell pm get-app-links \(app.name)") }
        guard !visit.source.isLoopback, scheme == "https" else { return steps }
        if apps.contains(where: { $0.reader == .apple }) {
            steps.append(
                "curl https://app-site-association.cdn-apple.com/a/v1/\(host)  # what phones get, maybe a day old"
            )
        }
        if apps.contains(where: { $0.reader == .google }) {
            steps.append(
                "curl 'https://digitalassetlinks.googleapis.com/v1/statements:list?source.web.site=https://\(host)"
                    + "&relation=\(AndroidAssociation.handleAllURLs)'")
        }
        return steps
    }
}

extension AssociatedApp {
    /// The app with the number of its rules.
    fileprivate var sentence: String {
        func count(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }
        let rules = rules.map { count($0.count, "rule") } ?? "its manifest decides"
        return reader == .apple
            ? "\(name): \(rules)" : "\(name): \(count(fingerprints.count, "key")), \(rules)"
    }
}

extension LinkFinding {
    /// Returns the lines of findings. Those of a kind are together, with the rule and the mend only once.
    fileprivate static func lines(of findings: [LinkFinding]) -> [String] {
        var faults: [LinkFault] = []
        for finding in findings where !faults.contains(finding.fault) { faults.append(finding.fault) }
        let indent = String(repeating: " ", count: 11)
        return faults.flatMap { fault in
            let severity = fault.severity.rawValue
            let head = "  \(severity)\(indent.dropFirst(severity.count + 2))"
            let own = findings.filter { $0.fault == fault }
            let rest = own.count > most ? ["\(indent)… and \(own.count - most) more"] : []
            return own.prefix(most).map { head + $0.sentence } + rest
                + ["\(indent)\(fault.why)", "\(indent)→ \(fault.mend) [\(fault.name)]"]
        }
    }

    /// How many findings of a kind are shown for a file.
    private static let most = 20

    private var sentence: String {
        let place = [place, line.map { "line \($0)" } ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
        return place.isEmpty ? what : "\(place): \(what)"
    }
}
