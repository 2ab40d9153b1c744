import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Imports
@testable import Kernel
@testable import Operations

/// How imports read times.
@Suite(.inTurns) struct ImportTimesTests {
    @Test func `times may be seconds, milliseconds or microseconds since 1970`() async throws {
        try await TestApp.run { app in
            let times = [
                "1704164645", "1704164645000", "1704164645000000", "2024-01-02T03:04:05Z",
                "2024-01-02 03:04:05",
            ]
            let lines = times.enumerated().map { "u-\($0),name\($0),\($1)\n" }.joined()
            #expect(try await app.importUsers("uid,username,created_at\n\(lines)").imported == times.count)
            let found = try await app.db.read.query(
                "SELECT DISTINCT extract(epoch FROM created_at)::bigint FROM users"
            ) { try $0.next(as: Int.self) }
            #expect(found == [1_704_164_645])
        }
    }

    @Test func `a time that is none refuses its line, and the others are imported`() async throws {
        let wrong = [
            "2026-02-30T00:00:00Z", "2023-02-29", "2024-13-01", "2024-04-31", "2024-01-01T24:00",
            "2024-01-01T09:60Z", "2024-01-01T09:00+15", "yesterday at noon", "yesterday", "now", "epoch",
            "J2451187", "infinity", "2024-01-01T09:00:00 Asia/Tokyo", "0", "20240102030405",
            "99999999999999999999",
        ]
        let right = [
            "", "\"\"", "2024-02-29", "2024-02-29T09:00", "2024-02-29 09:00:00 UTC",
            "2024-02-29T09:00:00.123456+05:30", "2024-02-29T09:00:00-08", "2024-02-29T09:00:00+0900",
        ]
        try await TestApp.run { app in
            let lines = (wrong + right).enumerated().map { "u-\($0),name\($0),\($1)\n" }.joined()
            let report = try await app.importUsers("uid,username,created_at\n\(lines)")
            #expect(report.imported == right.count)
            #expect(report.found == ["time_invalid \(wrong.count) [2, 3, 4, 5, 6]"])
            #expect(report.description.contains("time that is none, before 1970 or in the future"))
        }
    }

    /// Files with a good line, then one for each time that is none.
    private static let files: [(Import, String)] = [
        (
            .users(keepNames: false, historyComplete: false),
            """
            uid,username,created_at,username_since,frozen_at
            u-dora,dora,,,
            u-1,one1,now,,
            u-2,two2,,now,
            u-3,three3,,,now
            """
        ),
        (
            .usernames(complete: false),
            """
            uid,username,valid_from,valid_to
            u-ann,anna,2015-01-01,2016-01-01
            u-ann,anne,now,2016-01-01
            u-ann,anne,2015-01-01,now
            u-ann,anne,now,now
            u-ann,ann,now,
            """
        ),
        (
            .friendships(oneSided: .friends),
            """
            uid,friend_uid,since
            u-ann,u-bob,
            u-ann,u-cat,now
            """
        ),
        (
            .nameStates,
            """
            username,state,uid,held_until
            held,held,u-ann,2999-01-01
            other,held,u-ann,never
            third,reserved,,never
            """
        ),
        (
            .relationships,
            """
            uid,other_uid,friends_since,asked_at,shown_at,blocked_at,declines,quiet_until,ended_at
            u-ann,u-bob,,2024-01-01,,,,,
            u-bob,u-ann,never,,,,,,
            u-ann,u-cat,,never,,,,,
            u-cat,u-ann,,2024-01-01,never,,,,
            u-bob,u-cat,,,,never,,,
            u-cat,u-bob,,,,,1,never,
            u-bob,u-who,,,,,,,never
            """
        ),
        (
            .invites,
            """
            code,uid,kind,expires_at,revoked_at,created_at
            bbbbbbbbbbbbbbbb,u-ann,custom,,,
            cccccccccccccccc,u-ann,custom,never,,
            dddddddddddddddd,u-ann,custom,,never,
            eeeeeeeeeeeeeeee,u-ann,custom,,,never
            """
        ),
        (
            .inviteUses,
            """
            code,uid,used_at
            aaaaaaaaaaaaaaaa,u-bob,
            aaaaaaaaaaaaaaaa,u-cat,never
            """
        ),
        (
            .inviters,
            """
            uid,inviter_uid,accepted_at
            u-bob,u-ann,
            u-cat,u-ann,never
            """
        ),
    ]

    @Test(arguments: files) func `each import refuses each time that is none`(kind: Import, csv: String)
        async throws
    {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann", "bob", "cat"])
            let invite = "code,uid,kind\naaaaaaaaaaaaaaaa,u-ann,custom\n"
            #expect(try await app.import(.invites, invite).imported == 1)
            let report = try await app.import(kind, csv)
            let refused = report.findings.filter { $0.reason == .timeInvalid }.map(\.count)
            #expect(report.imported == 1 && refused == [report.lines - 1], "\(report)")
            try await app.verify()
        }
    }
}
