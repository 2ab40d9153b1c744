import Foundation
import Graph
import Kernel
import Web

/// The explanation for people, in lines.
extension Explanation {
    package var text: String {
        let steps = steps.enumerated().flatMap { number, step in step.lines(number + 1) }
        let facts = facts.map { "  \($0)" }
        return
            (steps + ["", "What Kith knows:"] + facts + [
                "", "Signing up by it: \(signingUp.text)", "Accepting it with an account: \(accepting.text)",
                "",
            ]).joined(separator: "\n")
    }

    private var facts: [String] {
        let all = (inviter?.lines ?? []) + (name?.lines ?? []) + (code?.lines ?? []) + (deepLink?.lines ?? [])
        return all.isEmpty ? ["nothing about it"] : all
    }
}

extension Explanation.Step {
    fileprivate func lines(_ number: Int) -> [String] {
        var answer = status.map { "   → \($0)" }
        if let location { answer = "\(answer ?? "   →") to \(location)" }
        return ["\(number). \(url)", "   \(place)\(because)"] + [answer].compactMap(\.self)
    }

    private var place: String {
        guard let table, let row else { return "" }
        let code = codeRow.map { ", row \($0) of the table of pages with a code" } ?? ""
        return "Row \(row) of the table \"\(table.title)\"\(code): "
    }
}

extension Explanation.Step.Table {
    fileprivate var title: String {
        switch self {
        case .link: "Who a link leads to"
        case .code: "A page opened with a code"
        case .deepLink: "Where a deep link leads"
        }
    }
}

extension UserRecord {
    fileprivate var lines: [String] {
        var lines = [
            "the uid \(uid) is \(username ?? "a deleted account"): \(status)\(statusReason.map { " (\($0))" } ?? ""), "
                + "signed up \(JSON.timestamp(createdAt)), their invites are "
                + (frozen == nil ? "\(invites.rawValue)" : "frozen")
        ]
        if let frozen { lines.append("frozen since \(JSON.timestamp(frozen.at)): \(frozen.reason)") }
        if !historyComplete { lines.append("imported without the names they had before") }
        return lines
    }
}

extension Explanation.Name {
    fileprivate var lines: [String] {
        ["the name \(name), now: \(now.text)"] + ofInviter.map { "the user of the uid had it \($0.text)" }
    }
}

extension Explanation.Code {
    fileprivate var lines: [String] {
        guard state != .unknown else { return ["the code \(code): nobody has it"] }
        let places = maxUses.map { " of \($0)" } ?? ""
        let ends = [(expiresAt, "expires"), (revokedAt, "revoked")].compactMap { time, what in
            time.map { ", \(what) \(JSON.timestamp($0))" }
        }
        return [
            "the code \(code) is \(owner?.brief.text ?? "nobody")'s: \(state.words), used \(uses ?? 0)\(places) times"
                + ends.joined()
        ]
    }
}

extension Explanation.Code.State {
    fileprivate var words: String {
        switch self {
        case .inForce: "in force"
        case .revoked: "revoked"
        case .expired: "expired"
        case .usedUp: "used up"
        case .unknown: "unknown"
        }
    }
}

extension Explanation.Linked {
    fileprivate var lines: [String] {
        let end = expiresAt.map { ", expires \(JSON.timestamp($0))" } ?? ""
        return ["a deep link of \(domain)\(code.map { ", code \($0)" } ?? "")\(end)"]
            + [target.map { "it leads to \($0)" }].compactMap(\.self)
            + leftOut.map { "left out: \($0.parameter): \($0.why)" }
            + ways.map { "\($0.visitor): row \($0.row), \($0.status) \($0.location)" }
    }
}
