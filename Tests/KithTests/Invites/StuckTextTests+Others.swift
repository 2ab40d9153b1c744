import HTTPTypes
import TestSupport
import Testing

@testable import Kith

/// That a link never leads to another person than its uid names, whatever became of it on its way.
extension StuckTextTests {
    /// Gives a name first to one user, then to another.
    private static func handOn(_ name: String, from first: String, to second: String, _ app: TestApp)
        async throws
    {
        try await app.signUp(name, uid: first)
        try await app.rename(first, to: "\(name)1")
        try await app.age(first, hours: 24 * 91)
        try await app.signUp(name, uid: second)
    }

    /// The uids to which the page and the API lead by this link; nil if it is nobody's invite.
    private static func readers(of path: String, _ app: TestApp) async throws -> [String?] {
        var page = try await app.get(path)
        if page.status == 302, let next = page.headers[.location] {
            page = try await app.get(String(next.trimmingPrefix(TestApp.origin)))
        }
        let shown = page.text.firstMatch(of: /qr\.svg\?invitedBy=([^"&]*)/).map {
            PercentEncoding.decode($0.1.utf8) ?? "?"
        }
        let found = try await app.post("/v1/invites/resolve", as: "u-x", ["url": "\(TestApp.origin)\(path)"])
        return [shown, found["inviter.uid"]]
    }

    @Test(arguments: [
        (first: "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r", second: "a.b"),
        ("ユーザーの番号は十八文字より長いのです", "ユ"), ("p%2Dq", "p-q"), ("k&amp;x", "k"), ("w\u{FFFD}abc", "w"),
    ])
    func `row 2: who has a name by now gets no invite of who had it, however their uids look`(
        first: String, second: String
    ) async throws {
        try await TestApp.run { app in
            try await Self.handOn("ann", from: first, to: second, app)
            let uid = PercentEncoding.encode(first)
            for tail in ["", ")", ".", "%E3%80%82", "%20Hi", "%FF"] {
                let path = "/users/ann?invitedBy=\(uid)\(tail)"
                #expect(try await Self.readers(of: path, app) == [first, first], "\(path)")
            }
            for path in [
                "/users/ann%3FinvitedBy=\(uid)", "/users/ann%3FinvitedBy%3D\(PercentEncoding.encode(uid))",
            ] {
                #expect(try await Self.readers(of: path, app) == [first, first], "\(path)")
            }
        }
    }

    @Test func `row 3: a uid that cannot be read where it stands is not the name alone`() async throws {
        try await TestApp.run { app in
            try await Self.handOn("ann", from: "u-1", to: "u-2", app)
            for rest in [
                "%253FinvitedBy=u-1", "?invitedBy%3Du-1", "?utm_source=mail%26invitedBy=u-1",
                "??invitedBy=u-1",
                "?utm_source=a&amp%3BinvitedBy=u-1", "?utm_source=x?invitedBy=u-1", "&invitedBy=u-1",
                ";invitedBy=u-1",
                "%EF%BC%9FinvitedBy=u-1", "?invitedby=u-1", "?invitedBy%20=u-1", "?%69nvited%2542y=u-1",
            ] {
                let readers = try await Self.readers(of: "/users/ann\(rest)", app)
                #expect(!readers.contains("u-2"), "\(rest) \(readers)")
            }
            // These mean nobody, so the name decides.
            for rest in ["", "?utm_content=invitedBy", "?x=1"] {
                #expect(try await Self.readers(of: "/users/ann\(rest)", app)[1] == "u-2", "\(rest)")
            }
        }
    }

    @Test(arguments: [
        ("v%", "v", "v%.", "v%"), ("vb%zz", "vb", "vb%zz", "vb%zz"), ("vc", "vc%zz", "vc%", "vc"),
    ])
    func `row 4: page and API read a percent sign that encodes nothing alike`(
        one: String, other: String, written: String, meant: String
    ) async throws {
        try await TestApp.run { app in
            try await Self.handOn("ann", from: other, to: one, app)
            #expect(try await Self.readers(of: "/users/ann?invitedBy=\(written)", app) == [meant, meant])
        }
    }

    @Test func `row 8: what was encoded as a whole is sent on as a URL`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await app.get(
                "/users/ANN%3FinvitedBy=u-ann%26x=a%20b%22%3Cscript%3E%0d%0aX-Evil:1%C3%A9")
            let location = try #require(answer.headers[.location])
            #expect(
                location.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>".utf8.contains($0) },
                "\(location)")
        }
    }
}
