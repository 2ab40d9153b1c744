import Web

/// Finds what is wrong with the answers of a host, apart from the content of files. It does no I/O.
struct LinkVisitChecks {
    static let mostBytes = 128 << 10
    static let mostSeconds = 86_400

    let visit: LinkVisit

    /// Findings about the host, and about files that are missing.
    var common: [LinkFinding] {
        var findings = LinkFindings(.host)
        host(&findings)
        if let page = visit.page, isOfHost(page) {
            findings.add(.sameHost, "\(page.address) shows a page of the same host")
        }
        if let name = visit.misnamed { findings.add(.wrongName, "there is \(name)") }
        let absent = [visit.apple, visit[.android]].compactMap { $0 }.filter(\.isMissing)
        if absent.count == 2 {
            findings.add(.missing, "there is neither apple-app-site-association nor assetlinks.json")
        } else if let file = absent.first {
            findings.add(.absent, "\(file.file.rawValue) is missing")
        }
        return findings.all
    }

    /// Findings about Apple's file at the root, compared with the one in `/.well-known`.
    var root: [LinkFinding] {
        var findings = LinkFindings(.oldApple)
        guard let first = visit[.apple], let root = visit[.oldApple], root.isFound else { return [] }
        if first.isMissing {
            findings.add(.onlyRoot, "the file is only at \(AssociationFile.oldApple.rawValue)")
        } else if first.isFound, first.body != root.body {
            findings.add(.rootDiffers, "\(AssociationFile.oldApple.rawValue) has another file")
        }
        return findings.all
    }

    private func host(_ findings: inout LinkFindings) {
        guard case .host(let scheme, _, let port) = visit.source else { return }
        if visit.source.isLoopback {
            findings.add(.loopback, "\(visit.source.name) is this machine")
        } else {
            if scheme != "https" { findings.add(.noHTTPS, "\(visit.source.name) is not https") }
            if let port, port != 443, scheme == "https" { findings.add(.port, "the port is \(port)") }
        }
    }

    /// Whether a page is where its link leads, or on the same host.
    private func isOfHost(_ page: LinkVisit.Answer) -> Bool {
        guard page.failure == nil else { return false }
        if page.isRedirect {
            let host = page.headers["location"].flatMap { TestedURL($0) }.map(\.host) ?? nil
            return host == nil || host == visit.source.authority?.lowercased()
        }
        return page.headers["content-type"]?.lowercased().hasPrefix("text/html") ?? false
    }

    /// Checks one file's answer. Returns its content too if that is JSON.
    func check(_ answer: LinkVisit.Answer) -> (findings: [LinkFinding], tree: JSONTree?) {
        var findings = LinkFindings(answer.file)
        if let failure = answer.failure {
            let fault: LinkFault = failure == .tooLarge ? .tooLarge : .unreachable
            findings.add(fault, "the file cannot be fetched: \(failure); \(failure.advice)")
            return (findings.all, nil)
        }
        guard answer.isFound else {
            if answer.isRedirect {
                let target = answer.headers["location"] ?? "nowhere"
                findings.add(.redirect, "it answers \(answer.status) and leads to \(target)")
            } else if !answer.isMissing {
                findings.add(.status, "it answers \(answer.status)")
            }
            return (findings.all, nil)
        }
        if case .host = visit.source { headers(answer, &findings) }
        // The fetchers of Apple and Google have these names. Both also obey what is said to all.
        let tokens = answer.file == .android ? ["Googlebot"] : ["AASA-Bot", "Applebot"]
        if let robots = visit.robots, !tokens.allSatisfy({ robots.allows(answer.file.rawValue, for: $0) }) {
            findings.add(.robots, "robots.txt forbids the file")
        }
        return content(answer, &findings)
    }

    private func headers(_ answer: LinkVisit.Answer, _ findings: inout LinkFindings) {
        let type = answer.headers["content-type"] ?? "missing"
        if type.lowercased().prefixMatch(of: /application\/json\s*(;|$)/) == nil {
            findings.add(
                answer.file == .android ? .androidMediaType : .mediaType, "its Content-Type is \(type)")
        }
        if let encoding = answer.headers["content-encoding"], encoding.lowercased() != "identity" {
            findings.add(.compressed, "it comes compressed by \(encoding), though nobody asked for it")
        }
        let control = answer.headers["cache-control"]?.lowercased() ?? ""
        if let age = control.firstMatch(of: /(?:^|[\s,])max-age\s*=\s*"?([0-9]{1,18})/).flatMap({
            Int($0.output.1)
        }),
            age > Self.mostSeconds
        {
            findings.add(.cache, "it may be kept for \(age.grouped) s")
        }
    }

    private func content(
        _ answer: LinkVisit.Answer, _ findings: inout LinkFindings
    ) -> (findings: [LinkFinding], tree: JSONTree?) {
        if answer.file != .android, answer.body.count > Self.mostBytes {
            findings.add(.tooLarge, "it has \(answer.body.count.grouped) bytes")
        }
        var body = answer.body[...]
        if body.starts(with: [0xEF, 0xBB, 0xBF]) {
            findings.add(.byteOrderMark, "it begins with a byte order mark")
            body = body.dropFirst(3)
        }
        do {
            return (findings.all, try JSONTree(Array(body)))
        } catch {
            let first = body.first { !" \t\n\r".utf8.contains($0) }
            let what =
                switch first {
                case UInt8(ascii: "<"): "it is a page of HTML: what answers here is not the file"
                case 0x30 where body.dropFirst().first.map({ $0 >= 0x80 }) ?? false:
                    "it is signed, in binary, as only iOS 8 wanted it"
                default: "line \(error.line), column \(error.column): \(error.reason)"
                }
            findings.add(.json, what)
            return (findings.all, nil)
        }
    }
}
