import Foundation
import Testing

@testable import Graph
@testable import Kernel

@Suite struct UsernamePolicyTests {
    @Test(arguments: ["abc", "Ann", "a_b", "a1_2", "z23456789012345678901234567890", "hanako_"])
    func `rule 1: a valid name is accepted as typed`(text: String) throws {
        let username = try UsernameRules().username(text)
        #expect(username.text == text)
        #expect(username.key.text == text.lowercased())
    }

    @Test(
        arguments: [
            ("", .tooShort), ("ab", .tooShort), ("a234567890123456789012345678901", .tooLong),
            ("1ab", .firstCharacter),
            ("_ab", .firstCharacter), ("a__b", .doubleUnderscore), ("a-b", .characters), ("a.b", .characters),
            ("a b", .characters), ("ünal", .characters), ("аpple", .characters), ("ann\u{200B}", .characters),
            ("ann\u{0}", .characters), ("ａｎｎ", .characters), ("admin", .reserved), ("Admin", .reserved),
            ("kith_team", .reserved), ("well_known", .reserved), ("users", .reserved),
        ] as [(String, UsernameError.Reason)])
    func `rules 1 and 2: an invalid name is refused with the reason`(
        text: String, reason: UsernameError.Reason
    ) {
        #expect(throws: UsernameError.invalid(reason)) { try UsernameRules().username(text) }
    }

    @Test func `rule 2: an operator reserves words, and prefixes by a star`() {
        var rules = UsernameRules()
        rules.reserved = ["acme", "team_*"]
        for text in ["acme", "ACME", "team_one"] {
            #expect(throws: UsernameError.invalid(.reserved)) { try rules.username(text) }
        }
        #expect(throws: Never.self) { try rules.username("acmes") }
    }
}

/// When the next change is possible: a case is a history in hours before now, and the wait in hours.
@Suite struct UsernameHistoryTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func history(_ names: [(String, Double)], held: [String] = []) -> UsernameHistory {
        let periods = names.enumerated().map { index, entry in
            UsernameHistory.Period(
                key: Username.Key(of: entry.0), username: entry.0, from: Self.now - entry.1 * 3600,
                to: index + 1 < names.count ? Self.now - names[index + 1].1 * 3600 : nil, severed: false)
        }
        return UsernameHistory(
            periods: periods, held: Set(held.map(Username.Key.init(of:))), readAt: Self.now)
    }

    @Test(
        arguments: [
            ("just signed up", [("a", 1)], 0), ("signed up long ago", [("a", 1000)], 0),
            ("corrected after the sign-up", [("a", 30), ("b", 20)], 0),
            ("corrected, then changed", [("a", 30), ("b", 20), ("c", 2)], 0),
            ("corrected, changed, corrected", [("a", 30), ("b", 20), ("c", 3), ("d", 1)], 14 * 24 - 3),
            ("changed an hour ago", [("a", 1000), ("b", 1)], 0),
            ("changed 25 hours ago", [("a", 1000), ("b", 25)], 14 * 24 - 25),
            ("changed and corrected", [("a", 1000), ("b", 2), ("c", 1)], 14 * 24 - 2),
            ("changed 14 days ago", [("a", 1000), ("b", 14 * 24)], 0),
            ("a return is no change", [("a", 1000), ("b", 500), ("a", 25)], 0),
        ] as [(String, [(String, Double)], Int)])
    func `rules 4 and 5: a new name is possible after the wait`(
        name: String, names: [(String, Double)], hours: Int
    ) {
        let wait = history(names).wait(toChangeTo: Username.Key(of: "new"), policy: UsernamePolicy())
        #expect(wait == hours * 3600, "\(name)")
    }

    @Test func `rule 6: a held name is free for its owner at any time`() {
        let names = history([("a", 1000), ("b", 30)], held: ["a"])
        #expect(names.wait(toChangeTo: Username.Key(of: "a"), policy: UsernamePolicy()) == 0)
    }

    @Test(
        arguments: [
            ("two returns", [("a", 99), ("b", 9), ("a", 8), ("b", 7)], "a", 0),
            ("three", [("a", 99), ("b", 9), ("a", 8), ("b", 7), ("a", 6)], "b", 24 - 8),
            ("one of three is a day old", [("a", 99), ("b", 30), ("a", 24), ("b", 7), ("a", 6)], "b", 0),
            ("a new name is no return", [("a", 99), ("b", 9), ("a", 8), ("b", 7), ("a", 6)], "c", 0),
        ] as [(String, [(String, Double)], String, Int)])
    func `rule 6: three returns are allowed in 24 hours`(
        name: String, names: [(String, Double)], to: String, hours: Int
    ) {
        let wait = history(names, held: ["a", "b"]).wait(
            toChangeTo: Username.Key(of: to), policy: UsernamePolicy())
        #expect(wait == hours * 3600, "\(name)")
    }

    @Test func `rule 7: beyond three held names those left longest ago are released`() {
        let names = history(
            [("a", 500), ("b", 400), ("c", 300), ("b", 200), ("d", 100), ("e", 50)],
            held: ["a", "b", "c", "d"])
        #expect(names.surplus(leavingFor: Username.Key(of: "f"), limit: 3).map(\.text) == ["c", "a"])
        #expect(names.surplus(leavingFor: Username.Key(of: "b"), limit: 3).map(\.text) == ["a"])
    }
}
