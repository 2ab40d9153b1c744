import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel

/// The tree of invites at the console.
@Suite(.inTurns) struct InviteTreePageTests {
    /// ann invited bob and 21 more, and bob invited dan.
    private func run(_ test: @escaping @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            try await app.signUp("ann")
            for number in 0..<21 {
                try await app.signUp("new\(number)", invite: TestApp.link("ann", "u-ann"))
            }
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            try await app.signUp("dan", invite: TestApp.link("bob", "u-bob"))
            try await test(app, try await app.signIn("ben@example.com", [.support]))
        }
    }

    @Test func `a tree leads down to each invitee, on to the rest, and up to the inviter`() async throws {
        try await run { app, ben in
            let top = try await app.get("/invites/u-ann", headers: ben).text
            #expect(top.contains("href=\"/invites/u-bob\"") && top.contains("brought 1"), "\(top)")
            #expect(top.contains("and 2 more") && !top.contains("Brought by"))
            let rest = try #require(top.firstMatch(of: /href="(\/invites\/u-ann\?after=[^"]+)"/)).1
            let more = try await app.get(String(rest), headers: ben).text
            #expect(more.contains("href=\"/invites/u-new0\"") && !more.contains("u-bob"))
            let bob = try await app.get("/invites/u-bob", headers: ben).text
            #expect(bob.contains("href=\"/invites/u-ann\"") && bob.contains("href=\"/invites/u-dan\""))
            #expect(try await app.get("/people/u-bob", headers: ben).text.contains("href=\"/invites/u-bob\""))
            #expect(try await app.get("/invites/u-nobody", headers: ben).status == 404)
        }
    }

    @Test func `a branch is frozen and undone only after its count was seen`() async throws {
        try await run { app, ben in
            let counted = try await app.submit("/invites/u-bob", "freeze", ["reason": "spam"], as: ben)
            #expect(counted.status == 200 && counted.text.contains("<strong>2</strong>"), "\(counted.text)")
            #expect(try await app.count("users WHERE frozen_at IS NOT NULL") == 0)
            let token = try #require(counted.text.firstMatch(of: /name="token" value="([^"]+)"/)).1
            func send(_ act: String) async throws -> TestApp.Answer {
                try await app.send(
                    "/invites/u-bob",
                    ["act": act, "token": String(token), "reason": "spam", "counted": "true"], as: ben)
            }
            let frozen = try await send("freeze")
            #expect(frozen.headers[.location] == "/invites/u-bob?done=people.done", "\(frozen.text)")
            #expect(try await app.count("users WHERE frozen_at IS NOT NULL") == 2)
            let page = try await app.get("/invites/u-ann", headers: ben).text
            #expect(page.contains(">frozen<"))
            let undone = try await app.submit("/invites/u-bob", "undo", ["reason": "spam"], as: ben)
            #expect(
                undone.text.contains("Friendships that would end")
                    && undone.text.contains("<strong>1</strong>"))
            #expect(try await app.relationships("u-bob", ["u-dan"]) == ["friends"])
            #expect(try await send("undo").status == 303)
            #expect(try await app.relationships("u-bob", ["u-dan"]) == ["none"])
            let refused = try await app.submit("/invites/u-bob", "freeze", ["reason": ""], as: ben)
            #expect(refused.status == 400 && refused.text.contains("field-reason-mistake"))
        }
    }
}
