/// Every text of the pages in one language.
///
/// The person on the card speaks.
struct LandingTexts: Sendable {
    typealias OfApp = @Sendable (_ app: String) -> String
    typealias OfName = @Sendable (_ name: String) -> String
    typealias OfBoth = @Sendable (_ name: String, _ app: String) -> String

    /// As Open Graph writes it.
    let locale: String
    let inviteTitle: OfBoth
    let profileTitle: OfBoth
    /// Stand below the name on a card.
    let cardInvite: OfApp
    let cardProfile: OfApp
    let inviteSentence: OfApp
    let askSentence: OfApp
    let profileSentence: OfApp
    let qrAlternative: OfName
    let scan: String
    let open: OfApp
    let appStore: String
    let playStore: String
    let notFound: OfError
    let tryAgain: OfError

    struct OfError: Sendable {
        let title: String
        let sentence: String
        let advice: String
    }

    static func of(_ language: Language) -> LandingTexts {
        switch language {
        case .en: .en
        case .ja: .ja
        }
    }

    func title(_ kind: LandingPage.Kind, name: String, app: String) -> String {
        kind == .invite ? inviteTitle(name, app) : profileTitle(name, app)
    }

    func error(_ page: LandingPages.ErrorPage) -> OfError {
        switch page {
        case .notFound: notFound
        case .tryAgain: tryAgain
        }
    }

    func sentence(_ kind: LandingPage.Kind, app: String) -> String {
        switch kind {
        case .invite: inviteSentence(app)
        case .ask: askSentence(app)
        case .profile: profileSentence(app)
        }
    }
}

extension LandingTexts {
    private static let en = LandingTexts(
        locale: "en_US",
        inviteTitle: { name, app in "\(name) invites you to \(app)" },
        profileTitle: { name, app in "\(name) on \(app)" },
        cardInvite: { app in "invites you to \(app)" },
        cardProfile: { app in "is on \(app)" },
        inviteSentence: { app in "Join me on \(app) and we’ll be friends right away." },
        askSentence: { app in "Join me on \(app) and send me a friend request." },
        profileSentence: { app in "See you on \(app)." },
        qrAlternative: { name in "QR code of the link to \(name)" },
        scan: "Scan with a phone camera",
        open: { app in "Open in \(app)" },
        appStore: "Download on the App Store",
        playStore: "Get it on Google Play",
        notFound: OfError(
            title: "Page not found", sentence: "This link may be mistyped or no longer in use.",
            advice: "Ask whoever sent it to you for a new one."),
        tryAgain: OfError(
            title: "Just a moment", sentence: "This page can’t be shown right now.",
            advice: "Wait a little, then open it again."))

    private static let ja = LandingTexts(
        locale: "ja_JP",
        inviteTitle: { name, app in "\(name)さんから\(app)への招待" },
        profileTitle: { name, app in "\(name)さん | \(app)" },
        cardInvite: { app in "\(app)への招待" },
        cardProfile: { app in "\(app)でお会いしましょう" },
        inviteSentence: { app in "\(app)に登録すると、すぐに友だちになれます。" },
        askSentence: { app in "\(app)に登録して、友だち申請を送ってください。" },
        profileSentence: { app in "\(app)でお会いしましょう。" },
        qrAlternative: { name in "\(name)さんのリンクのQRコード" },
        scan: "スマートフォンのカメラで読み取れます",
        open: { app in "\(app)で開く" },
        appStore: "App Storeでダウンロード",
        playStore: "Google Playで手に入れる",
        notFound: OfError(
            title: "ページが見つかりません",
            sentence: "リンクが間違っているか、すでに使われていない可能性があります。",
            advice: "送ってくれた方に、新しいリンクをお願いしてみてください。"),
        tryAgain: OfError(
            title: "少しお待ちください", sentence: "ただいまこのページを表示できません。",
            advice: "しばらくしてから、もう一度開いてみてください。"))
}
