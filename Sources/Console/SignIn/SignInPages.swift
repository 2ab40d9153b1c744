import Foundation
import Kernel
import Web

/// Makes the pages of the console.
package struct SignInPages: Sendable {
    /// The host of the provider, as people know it. Nil without one.
    let provider: String?

    package init(provider: String?) {
        self.provider = provider
    }

    /// What a page says that is not about a session.
    struct Notice: Sendable {
        let message: SignInTexts.Message
        var links: [(href: String, label: String)] = []
        var requestID: String?
    }

    /// Returns the page that says how to sign in.
    func signIn(_ texts: SignInTexts, _ path: ReturnPath, isAnew: Bool = false) -> String {
        var values = values(texts, texts.signIn)
        values["sentences"] = Self.sentences([texts.signIn.sentence, texts.askAdmin])
        values["links"] = links(start(texts, path, isAnew: isAnew))
        return Templates.console.render(.console, values)
    }

    /// Returns the page of a link, whose button signs in: programs that look at links press none.
    func link(_ texts: SignInTexts, email: EmailAddress, action: String) -> String {
        let title = texts.signInAs.replacing("%", with: email.text)
        var values = values(texts, .init(title: title, sentence: texts.linkHint))
        values["forms"] = [["action": action, "label": texts.useLink, "isFirst": true] as [String: Any]]
        return Templates.console.render(.console, values)
    }

    /// Returns a page that says why something is not done, with ways on.
    func notice(_ texts: SignInTexts, _ notice: Notice) -> String {
        var values = values(texts, notice.message)
        values["links"] = links(notice.links)
        values["requestId"] = notice.requestID
        return Templates.console.render(.console, values)
    }

    /// Returns the way to the provider. Empty without one.
    func start(
        _ texts: SignInTexts, _ path: ReturnPath, isAnew: Bool = false
    ) -> [(href: String, label: String)] {
        guard let provider else { return [] }
        let query = "".appending(query: [
            "returnTo": path.text == "/" ? nil : path.text, "anew": isAnew ? "1" : nil,
        ])
        return [
            (href: "/sign-in/openid\(query)", label: texts.signInWith.replacing("%", with: provider))
        ]
    }

    /// Returns the page of somebody who is signed in.
    func home(_ texts: SignInTexts, _ session: PersonSession, all: [PersonSession]) -> String {
        let title = texts.signedIn.replacing("%", with: session.email.text)
        let roles = session.roles.names.joined(separator: ", ")
        var values = values(texts, .init(title: title, sentence: texts.roles.replacing("%", with: roles)))
        values["sessionsTitle"] = texts.sessions
        values["sessions"] = all.map { one -> [String: Any] in
            let what = [
                texts.session.replacing("%", with: Self.minute(one.beganAt)), texts.methods[one.method] ?? "",
                one.id == session.id ? texts.thisSession : "",
            ]
            return [
                "what": what.filter { !$0.isEmpty }.joined(separator: " · "), "label": texts.endSession,
                "action": "/sessions/\(one.id.uuidString.lowercased())/end",
            ]
        }
        values["forms"] = [
            ["action": "/sign-out", "label": texts.signOut, "isFirst": false] as [String: Any]
        ]
        return Templates.console.render(.console, values)
    }

    private func values(_ texts: SignInTexts, _ message: SignInTexts.Message) -> [String: Any] {
        [
            "lang": texts.tag, "appName": texts.console, "title": message.title,
            "sentences": Self.sentences([message.sentence]),
        ]
    }

    private static func sentences(_ texts: [String]) -> [[String: Any]] { texts.map { ["sentence": $0] } }

    private func links(_ links: [(href: String, label: String)]) -> [[String: Any]] {
        links.enumerated().map { ["href": $1.href, "label": $1.label, "isFirst": $0 == 0] }
    }

    private static func minute(_ date: Date) -> String {
        "\(JSON.timestamp(date).prefix(16).replacing("T", with: " ")) UTC"
    }
}
