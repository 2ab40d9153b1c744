import Foundation
import HTTPTypes

@testable import AppTesting

/// Answers as examples in openapi.yaml, with the parts replaced that differ each time.
struct OpenAPIExamples {
    /// By method, route and status: `GET /v1/me 200`.
    private var answers: [String: String] = [:]

    /// Keeps the first answer in JSON to each call with each status.
    mutating func note(_ call: String, _ answer: TestApp.Answer) {
        let key = "\(call) \(answer.status)"
        guard answers[key] == nil, answer.headers[.contentType]?.contains("json") == true else { return }
        answers[key] = answer.text.replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "2026-10-01T09:30:00.000Z")
            .replacing(/"day":"[\d-]+"/, with: #""day":"2026-10-01""#)
            .replacing(/"requestId":"[^"]+"/, with: #""requestId":"5f0c1f6a9f1b8a3d2e7c4b6a9d8f0e1c""#)
            .replacing(/"next":"\d+"/, with: #""next":"1790847000000000""#)
            .replacing(/"next":"[^"\d][^"]+"/, with: #""next":"AR5fKkWc3QZb""#)
            .replacing(/"id":"sim-[\w-]+"/, with: #""id":"sim-002e14d5-51f5-4503-b5a8-c3a1af68eb20""#)
            .replacing(/"id":"\d{16}"/, with: #""id":"1790847000000000""#)
            .replacing(/"position":"\d{16}"/, with: #""position":"1790847000000000""#)
            .replacing(/"version":\d{16}/, with: #""version":1790847000000000"#)
            .replacing(/"lagSeconds":[\d.]+/, with: #""lagSeconds":0"#)
            .replacing(/"milliseconds":\d+/, with: #""milliseconds":12"#)
            .replacing(/"keyId":"[^"]+"/, with: #""keyId":"7h2k9m4pqr5t""#)
            .replacing(/key:\w+/, with: "key:7h2k9m4pqr5t")
            .replacing(/"id":"[0-9a-z]{12}"/, with: #""id":"7h2k9m4pqr5t""#)
            .replacing(
                /"assignment":"[^"]+"/, with: #""assignment":"3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA""#
            )
            .replacing(
                /"id":"[\da-f-]{36}","kind":"re/,
                with: #""id":"20a9fabc-9e91-d46c-d903-952edd842fa7","kind":"re"#
            )
            .replacing(/"reverses":"[^"]+"/, with: #""reverses":"20a9fabc-9e91-d46c-d903-952edd842fa7""#)
    }

    /// The document with an example for each body in JSON of `components.responses`, and the responses
    /// without an answer.
    func fill(_ document: String) -> (text: String, missing: [String]) {
        let keys = keys(of: document)
        var (lines, missing, section, name) = ([Substring](), [String](), "", "")
        for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
            if let found = line.wholeMatch(of: /\ {0,2}([a-zA-Z]+):/) { section = String(found.1) }
            if let found = line.wholeMatch(of: /\ {4}([A-Za-z]+):/) { name = String(found.1) }
            guard section == "responses" else {
                lines.append(line)
                continue
            }
            if line.hasPrefix("          example: ") { continue }
            if let found = line.wholeMatch(of: /\ {8}(application\/[a-z+]*json): \{ (schema: .*) \}/) {
                lines += ["        \(found.1):", "          \(found.2)"]
            } else {
                lines.append(line)
            }
            guard lines.last?.hasPrefix("          schema: ") == true,
                lines.dropLast().last?.hasPrefix("        application/") == true
            else { continue }
            if let answer = keys[name]?.lazy.compactMap({ answers[$0] }).first {
                lines.append("          example: \(answer)")
            } else {
                missing.append(name)
            }
        }
        return (lines.joined(separator: "\n"), missing)
    }

    /// The calls, with the status, that each response belongs to.
    private func keys(of document: String) -> [String: [String]] {
        var (keys, path, method) = ([String: [String]](), "", "")
        for line in document.split(separator: "\n") {
            if let found = line.wholeMatch(of: /\ {2}(\/.*):/) {
                path = String(found.1)
            } else if let found = line.wholeMatch(of: /\ {4}(get|put|post|patch|delete):/) {
                method = found.1.uppercased()
            } else if let found = line.wholeMatch(of: /\ {8}'(\d+)': .*responses\/(\w+)' \}/) {
                keys[String(found.2), default: []].append("\(method) \(path) \(found.1)")
            }
        }
        return keys
    }
}
