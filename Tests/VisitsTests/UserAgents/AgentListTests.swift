import Foundation
import Testing

@testable import Visits

private let listsFolder = ProcessInfo.processInfo.environment["KITH_TEST_AGENTS"]

/// Programs and phones of public lists, which `scripts/check-agents` brings.
@Suite(.enabled(if: listsFolder != nil)) struct AgentListTests {
    private func agents(_ name: String) throws -> [String] {
        let folder = try #require(listsFolder)
        return try String(contentsOfFile: "\(folder)/\(name).txt", encoding: .utf8).split(separator: "\n")
            .map(String.init)
    }

    @Test func `of the crawlers fewer than one in twenty passes for a person`() throws {
        let crawlers = try agents("crawlers")
        let counted = crawlers.filter { !UserAgent($0).isProgram }
        print("\(counted.count) of \(crawlers.count) crawlers count as people")
        #expect(
            crawlers.count > 1000 && counted.count * 20 < crawlers.count, "\(counted.joined(separator: "\n"))"
        )
    }

    @Test func `no phone is lost`() throws {
        let phones = try agents("phones")
        let lost = phones.filter { UserAgent($0).isProgram }
        print("\(lost.count) of \(phones.count) phones count as programs")
        #expect(phones.count > 10_000 && lost.isEmpty, "\(lost.joined(separator: "\n"))")
    }
}
