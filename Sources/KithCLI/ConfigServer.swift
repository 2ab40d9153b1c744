import Foundation
import Kernel
import Kith
import Web

/// A server at which `kith apply` publishes, by the calls of `/v1/admin/config`.
struct ConfigServer {
    private let url: URL
    private let key: String

    /// - Parameter keyFile: nil if the key is `KITH_KEY`.
    init(_ address: String, keyFile: String?) throws(Failure) {
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host() != nil else {
            throw Failure("--server must be a URL, as in https://join.example.com, not '\(address)'")
        }
        self.url = url.appending(path: "v1/admin/config")
        var text = ProcessInfo.processInfo.environment["KITH_KEY"] ?? ""
        if let keyFile {
            guard let found = try? String(contentsOfFile: keyFile, encoding: .utf8) else {
                throw Failure("cannot read '\(keyFile)'")
            }
            text = found
        }
        key = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard APIKey(key) != nil else {
            throw Failure("--server needs a key, as `kith key create` prints it: set KITH_KEY or --key-file")
        }
    }

    /// What is set there.
    struct State {
        let revision: Int64
        let items: [ItemName]
    }

    func state() async throws -> State {
        struct Answer: Decodable {
            struct Item: Decodable {}
            let revision: Int64
            let sections: [String: [String: Item]]
        }
        let answer = try await call("GET", Answer.self)
        return State(
            revision: answer.revision,
            items: answer.sections.flatMap { name, items in items.keys.map { ItemName(name, $0) } })
    }

    /// Prints what becomes different, and publishes it.
    /// - Parameter removed: the items that go. Those of sections that are not named stay.
    func publish(
        _ sections: AppliedSections, removing removed: [ItemName], over revision: Int64,
        _ options: PublicationOptions
    ) async throws {
        var changes: [String: [String: [String: String]?]] = [:]
        for section in sections.all {
            let kind = type(of: section)
            changes[kind.name] = section.items.mapValues { $0 }
        }
        for name in removed where changes[name.section] != nil {
            changes[name.section]?.updateValue(nil, forKey: name.key)
        }
        var body = Body(changes: changes, reason: options.reason ?? "", force: options.force, dryRun: true)
        let plan = try await call("POST", over: revision, body, Plan.self)
        for line in plan.lines + plan.effects { try say(line) }
        guard !plan.lines.isEmpty else { return try say("nothing changes") }
        if options.dryRun {
            for (item, danger) in plan.needsForce.sorted(by: { $0.key < $1.key })
            where !options.force.contains(item) { try say("needs --force \(item): \(danger)") }
            return try say("nothing was changed: without --dry-run it would be")
        }
        body.dryRun = false
        let number = try await call("POST", over: revision, body, Plan.self).revision
        try say("published as \(number): servers follow within \(AppsFile.secondsToFollow) seconds")
    }

    private struct Body: Encodable {
        let changes: [String: [String: [String: String]?]]
        let reason: String
        let force: [String]
        var dryRun: Bool
    }

    private struct Plan: Decodable {
        let revision: Int64
        let lines: [String]
        let effects: [String]
        let needsForce: [String: String]
    }

    private struct Refusal: Decodable { let detail: String }

    private func call<Answer: Decodable>(_ method: String, _: Answer.Type) async throws -> Answer {
        try await call(method, over: nil, Body?.none, Answer.self)
    }

    private func call<Answer: Decodable>(
        _ method: String, over revision: Int64?, _ body: Body?, _: Answer.Type
    ) async throws -> Answer {
        var headers = ["Authorization": "Bearer \(key)"]
        if let revision { headers["If-Match"] = "\"\(revision)\"" }
        if body != nil { headers["Content-Type"] = "application/json" }
        let fetch = HTTPFetch.live(
            timeout: .seconds(30), mostBytes: 16 << 20, method: method, headers: headers,
            body: try body.map { Data(try JSON.data($0)) })
        let answer: HTTPFetch.Answer
        do {
            answer = try await fetch.get(url)
        } catch {
            throw Failure("\(url.absoluteString) \(error)")
        }
        guard (200..<300).contains(answer.status) else {
            let problem = try? JSONDecoder().decode(Refusal.self, from: answer.body)
            throw Failure(
                "the server refuses it (\(answer.status)): \(problem?.detail ?? "no reason is given")")
        }
        return try JSONDecoder().decode(Answer.self, from: answer.body)
    }
}
