import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Web

@Suite(.inTurns) struct JSONTextTests {
    private struct Body: Encodable {
        let friends: [Friend]
        let next: String?
    }

    @Test(arguments: [
        "plain", "", "quote\" back\\slash/ and 花子 👩‍👩‍👧", (1..<0x30).map { String(UnicodeScalar($0)) }.joined(),
        "\u{7F}\u{2028}\u{FFFD}",
    ])
    func `a page of friends is written byte for byte as the encoder writes it`(text: String) async throws {
        let friends = [
            Friend(
                User.Profile(
                    uid: User.UID(stored: text), username: "x\(text)", displayName: text,
                    avatarUrl: "https://a/\(text)",
                    metadata: User.Metadata(["b": "花 \"/\\", "A": "", "a.1": "x"])),
                Friendship(since: Date(timeIntervalSince1970: 1_700_000_000.5))),
            Friend(
                User.Profile(uid: "u", username: "u"),
                Friendship(since: Date(timeIntervalSince1970: -0.25))),
        ]
        let profile = try #require(friends[0].profile)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(JSON.timestamp(date))
        }
        try await TestApp.run { app in
            let rows = try await app.db.read.rows(
                """
                SELECT avatar, name, metadata, since, uid, username
                FROM (VALUES (\(profile.avatarUrl), \(text), \(profile.metadata?.json), \(friends[0].detail.since),
                              \(text), \("x" + text)),
                             (NULL, NULL, NULL, \(friends[1].detail.since), 'u', 'u'))
                    AS f (avatar, name, metadata, since, uid, username)
                """)
            for (shown, next) in [(2, nil), (2, "abc"), (1, "\""), (0, nil)] {
                let expected = try encoder.encode(Body(friends: Array(friends.prefix(shown)), next: next))
                let written = try FriendListPage(rows: rows, limit: shown, order: .recent).json(next: next)
                    .bytes
                #expect(String(decoding: written, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
            }
        }
    }

    @Test func `times are written as Foundation writes them, to the millisecond`() {
        // From 1583 on: before, Foundation uses the Julian calendar, and PostgreSQL does not.
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let days = stride(from: -12_212_553_600.0, to: 253_402_300_800, by: 86_400 * 97.3)
        for seconds in Array(days) + [0, -0.5, 951_782_400, 951_868_799.75, 1_709_164_800.25] {
            let date = Date(timeIntervalSince1970: (seconds * 1000).rounded() / 1000)
            #expect(JSON.timestamp(date) == date.formatted(style))
        }
    }
}
