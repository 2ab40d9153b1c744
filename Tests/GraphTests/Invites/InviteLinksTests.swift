import Foundation
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Web

/// Which texts are invites of this server.
@Suite struct InviteLinksTests {
    /// `Clients/links.json`, by which the clients read links, too.
    private struct Table: Decodable {
        var rules: Rules
        var links: [Row]

        struct Rules: Decodable {
            var linkURL: String
            var otherHosts, schemes, wrappingHosts: [String]
        }

        struct Row: Decodable {
            var name, text: String
            var link: Link?
        }

        struct Link: Decodable {
            var username, invitedBy, code: String?
        }

        static let all = Result {
            let file = RepositoryFile.root.appending(path: "Clients/links.json")
            return try JSONDecoder().decode(Table.self, from: Data(contentsOf: file))
        }
    }

    private static let links = InviteLinks(
        origin: "https://join.example.com", appScheme: "myapp",
        hasVanityLinks: true,
        others: [InviteLinks(origin: "https://invite.example.org", appScheme: "myapp")])

    private func reference(_ link: Table.Link?) throws -> InviteReference {
        guard let link else { return .unrecognised }
        let code = link.code.flatMap { Invite.Code($0) }
        guard let username = link.username else { return .code(try #require(code)) }
        let name = try #require(Username.Key(username))
        if let code, let uid = link.invitedBy.flatMap({ User.UID($0) }) { return .link(code, name, uid) }
        return .name(username: name, invitedBy: link.invitedBy)
    }

    @Test func `the server reads links as the clients do`() throws {
        let table = try Table.all.get()
        let rules = table.rules
        #expect(
            [rules.linkURL] + rules.otherHosts.map { "https://\($0)" } == [Self.links.origin]
                + Self.links.others.map(\.origin))
        for row in table.links {
            // Only an app can know more hosts whose links wrap its own.
            let isAppsAlone = rules.wrappingHosts.contains { row.text.hasPrefix("https://\($0)/") }
            let expected = isAppsAlone ? .unrecognised : try reference(row.link)
            #expect(Self.links.reference(in: row.text) == expected, "\(row.name)")
            #expect(Self.links.invite(inPasted: row.text).reference == expected, "\(row.name), pasted")
        }
    }

    private static let ann = "https://join.example.com/users/ann?invitedBy=u-1"
    private static let short = "https://join.example.com/7h2k9m4pqr5t8vwx"
    private static let wrapped =
        "https://x.page.link/?link=https%3A%2F%2Fjoin.example.com%2Fusers%2Fann%3FinvitedBy%3Du-1&apn=com.example.app"

    @Test(arguments: [
        ann, "Join me: \(ann) 🎉", "Join me: \(ann).", "Ann\n\n\(ann)\nSent from my iPhone", "「\(ann)」を開いてね",
        "\(ann)で待ってます", "see [Ann](\(ann))!", "\(ann)\n\(short)", "https://example.com/ \(ann)",
        "Join me: \(wrapped) now", "myapp://users/ann?invitedBy=u-1 opens it",
    ])
    func `a pasted text has a link in it`(text: String) throws {
        let name = try #require(Username.Key("ann"))
        guard case .name(name, let uid?) = Self.links.invite(inPasted: text).reference else {
            Issue.record("\(text)")
            return
        }
        // Who it is, and what is stuck to it, the database knows.
        #expect(([uid] + uid.readings).contains { $0.text == "u-1" }, "\(uid)")
    }

    @Test(arguments: [
        short, "(\(short))", "*\(short)*, see you!", "<\(short)>", "招待です：\(short)で待ってます", "\"\(short)\"",
        "\(short)\n\(ann)", "7h2k9m4pqr5t8vwx", " 7h2k9m4pqr5t8vwx\r\n", "7h2k 9m4p qr5t 8vwx",
        "7H2K9M4P\nQR5T8VWX", "7h2k\u{A0}9m4p\u{3000}qr5t\t8vwx",
    ])
    func `a pasted text has a code in it`(text: String) throws {
        let code = try #require(Invite.Code("7h2k9m4pqr5t8vwx"))
        #expect(Self.links.invite(inPasted: text).reference == .code(code))
    }

    @Test(arguments: [
        "https://l.facebook.com/l.php?u=\(encoded)&h=AT0x", "http://lm.facebook.com/l.php?u=\(encoded)",
        "https://l.instagram.com/?e=AT1&u=\(encoded)&s=1",
        "https://www.google.com/url?q=\(encoded)&sa=D&source=gmail",
        "https://www.google.co.jp/url?sa=t&url=\(encoded)",
        "https://nam02.safelinks.protection.outlook.com/?url=\(encoded)&data=05",
        "https://out.reddit.com/t3_x?url=\(encoded)&token=A",
        "https://www.youtube.com/redirect?event=x&q=\(encoded)",
        "https://vk.com/away.php?to=\(encoded)", "https://slack-redir.net/link?url=\(encoded)&v=3",
        "https://duckduckgo.com/l/?uddg=\(encoded)&rut=1", "https://urldefense.com/v3/__\(ann)__;!!Abc!x$",
        "https://urldefense.com/v3/__\(ann.replacing("?", with: "*3F"))__;JQ!!Abc!x$",
        "https://l.facebook.com/l.php?u=\(PercentEncoding.encode("https://www.google.com/url?q=\(encoded)"))",
        PercentEncoding.encode(ann),
    ])
    func `a link may be wrapped by what leads out of another app`(text: String) throws {
        let name = try #require(Username.Key("ann"))
        #expect(Self.links.reference(in: text) == .name(name, User.UID("u-1")), "\(text)")
        #expect(
            Self.links.invite(inPasted: "see \(text) now").reference == .name(name, User.UID("u-1"))
                || !text.contains("://"))
    }

    private static let encoded = PercentEncoding.encode(ann)

    @Test(arguments: [
        "", " \n", "hello", "://", "Join me: https://", "https:// join.example.com/users/ann?invitedBy=u-1",
        "my code is 7h2k9m4pqr5t8vwx", "7h2k9m4pqr5t8vw x y",
        "see https://join.example.com.evil.example/users/ann",
        "https://join.example.com:99999999999999999999/users/ann?invitedBy=u-1",
        "see https://ann@join.example.com/users/ann", "see https://evil.example/?u=\(ann)",
        "https://google.com.evil.example/url?q=\(encoded)", "https://www.google.com/search?q=\(encoded)",
        "https://evil-l.facebook.com/?u=\(encoded)",
        "see https://x.page.link/?link=https%3A%2F%2Fevil.example%2Fusers%2Fann&link2=\(ann)",
        "see https://x.page.link/?link=\(ann)&link=\(ann)",
        String(repeating: "https://example.com ", count: 16) + ann, ann + String(repeating: " ", count: 8192),
        String(repeating: "://", count: 2700), String(repeating: "a://b ", count: 1300) + short,
        String(repeating: "https://x.page.link/?link=", count: 4) + ann,
    ])
    func `a pasted text has no invite in it`(text: String) {
        #expect(Self.links.invite(inPasted: text).reference == .unrecognised)
    }
}
