import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Web

/// Friends by the name that people see, and the search among them.
@Suite(.inTurns) struct FriendOrderTests {
    /// Display names, in their order.
    private static let names = [
        "#1", "10", "9", "Ａｂｅ", "ábel", "Abel 2", "ÁBELARD", "Łukasz", "Øyvind", "zoë", "Zoe B", "Σωκράτης",
        "Андрей", "Ёлка", "あきら", "ｱｷﾞﾗ", "アキラ２", "カナ", "ガナ", "さとう", "サトウ 花", "佐藤", "山田　花子", "花子",
        "김철수",
    ]

    @Test(arguments: [
        ("Ａｂｅ", "abe"), ("ÁBELARD", "abelard"), ("ｱｷﾞﾗ", "あぎら"), ("アキラ２", "あきら2"), ("ガナ", "がな"),
        ("山田　花子", "山田 花子"), ("Σωκράτης", "σωκρατησ"), ("Ёлка", "елка"), ("Łukasz", "łukasz"),
        ("김철수", "김철수"), ("①㈱", "1(株)"), ("ﷺ" + String(repeating: "a", count: 99), nil), ("ヴ", "ゔ"),
        ("e\u{301}", "e"), ("é", "e"), ("", ""),
    ])
    func `the key of a name is made by one rule`(name: String, key: String?) async throws {
        try await TestApp.run { app in
            let found = try await app.db.read.first("SELECT sort_key(\(name))") {
                try $0.next(as: String.self)
            }
            if let key { #expect(found == key) }
            #expect((found ?? "").unicodeScalars.count <= 100)
        }
    }

    @Test func `friends are sorted and found by display name, kana and kanji included`() async throws {
        try await TestApp.run { app in
            try await app.signUp("mia")
            let people = try await app.people("p", Self.names.count)
            for (uid, name) in zip(people, Self.names.shuffled()) {
                try await app.befriend("u-mia", uid)
                #expect(
                    try await app.call(.patch, "/v1/me", as: uid, body: ["displayName": name]).status == 200)
            }
            func list(_ query: String, limit: Int = 100) async throws -> [String] {
                try await app.list(
                    "/v1/friends?\(query)", "friends", "displayName", as: "u-mia", limit: limit)
            }
            let expected = try await app.db.read.first(
                "SELECT array_agg(name ORDER BY sort_key(name) COLLATE \"C\", name) FROM unnest(\(Self.names)) AS n (name)"
            ) { try $0.next(as: [String].self) }
            for limit in [1, 7, 100, 500] {
                #expect(try await list("order=name", limit: limit) == expected, "\(limit)")
            }
            for (prefix, found) in [
                ("abel", ["ábel", "Abel 2", "ÁBELARD"]), ("ＡＢＥＬ", ["ábel", "Abel 2", "ÁBELARD"]),
                ("アキ", ["あきら", "アキラ２"]), ("あぎ", ["ｱｷﾞﾗ"]), ("花", ["サトウ 花", "山田　花子", "花子"]),
                ("hana", []), ("さとう", ["さとう", "サトウ 花"]), ("佐", ["佐藤"]), ("ZOE", ["zoë", "Zoe B"]),
                ("b", ["Zoe B"]),
                ("p1%", []), ("_", []), ("елка", ["Ёлка"]), ("σωκρ", ["Σωκράτης"]), ("김", ["김철수"]),
            ] {
                let query = "prefix=\(PercentEncoding.encode(prefix))"
                for limit in [1, 100] {
                    #expect(Set(try await list(query, limit: limit)) == Set(found), "\(prefix)")
                }
            }
            // Usernames are found as before.
            #expect(try await list("prefix=p1").count == 1 + (10..<20).count)
            // Who has no display name stands where the username would.
            try await app.signUp("abbey")
            try await app.befriend("u-mia", "u-abbey")
            #expect(try await list("order=name")[3] == "–")
        }
    }
}
