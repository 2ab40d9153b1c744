import Kernel
import Web

/// The words of the console's pages, in one language. `%` stands for a value.
struct SignInTexts: Sendable {
    /// A headline, and what it means and what to do.
    struct Message: Sendable {
        let title: String
        let sentence: String
    }

    let tag: String
    let console: String
    let signIn: Message
    /// How to come in without a provider.
    let askAdmin: String
    let signInWith: String
    let signInAs: String
    let linkHint: String
    let useLink: String
    let refusals: [SignInRefusal: Message]
    /// The refusals that have no words of their own.
    let refused: Message
    let away: Message
    let crossSite: Message
    let notFound: Message
    let notAllowed: Message
    let tooMany: Message
    let broken: Message
    let tryAgain: String
    let toSignIn: String
    let toStart: String
    let signedIn: String
    let roles: String
    let sessions: String
    let session: String
    let thisSession: String
    let methods: [SignInMethod: String]
    let endSession: String
    let signOut: String

    static let languages = Languages(
        standard: english.language, all: [english.language, japanese.language])

    /// Returns the words of a language of `languages`.
    static func of(_ language: Language) -> SignInTexts {
        language == japanese.language ? japanese : english
    }

    private var language: Language { Language(tag) ?? Self.languages.standard }
}

extension SignInTexts {
    fileprivate static let english = SignInTexts(
        tag: "en", console: "Kith console",
        signIn: Message(title: "Sign in", sentence: "This is where the people work who run the service."),
        askAdmin: "An admin can send you a link that signs you in: open it here, in this browser.",
        signInWith: "Sign in with %", signInAs: "Sign in as %",
        linkHint: "The link works once, for 15 minutes.", useLink: "Sign in",
        refusals: [
            .linkUnknown: Message(
                title: "This link is not known",
                sentence: "Perhaps a part of it is missing. Ask an admin for a new one."),
            .linkUsed: Message(
                title: "This link has been used",
                sentence:
                    "It works once. If it was not you who used it, tell an admin at once. Else ask for a new one."
            ),
            .linkExpired: Message(
                title: "This link has expired",
                sentence: "It works for 15 minutes. Ask an admin for a new one."),
            .personUnknown: Message(
                title: "You are not among the people here",
                sentence: "The provider knows you, but nobody has added you. Ask an admin."),
            .personRemoved: Message(
                title: "You may not sign in any more",
                sentence: "An admin has removed you. Ask one if that is a mistake."),
            .mailUnverified: Message(
                title: "Your mail address is not verified",
                sentence: "Verify it with your provider, then sign in again."),
            .providerRefused: Message(
                title: "You are not signed in", sentence: "The provider did not let you in, or you cancelled."
            ),
        ],
        refused: Message(
            title: "This sign-in is over",
            sentence: "It took too long, was begun in another browser, or has been used. Begin again."),
        away: Message(
            title: "The provider does not answer",
            sentence: "Nothing is wrong with you. Try again in a minute, or ask an admin for a link."),
        crossSite: Message(
            title: "Another page sent this",
            sentence: "For your safety only pages of the console may do this. Begin again here."),
        notFound: Message(title: "There is nothing here", sentence: "The console has no such page."),
        notAllowed: Message(title: "This is not for you", sentence: "It needs a role that you do not have."),
        tooMany: Message(title: "Too many attempts", sentence: "Wait a minute, then try again."),
        broken: Message(title: "That did not work", sentence: "Try again in a minute."),
        tryAgain: "Try again", toSignIn: "To the sign-in", toStart: "To the console",
        signedIn: "You are signed in as %", roles: "Your roles: %", sessions: "Where you are signed in",
        session: "Since %", thisSession: "this browser",
        methods: [.link: "with a link", .openid: "with the provider"], endSession: "End",
        signOut: "Sign out")

    fileprivate static let japanese = SignInTexts(
        tag: "ja", console: "Kith コンソール",
        signIn: Message(title: "ログイン", sentence: "サービスを運営する人のためのページです。"),
        askAdmin: "管理者からログイン用のリンクを受け取り、このブラウザで開いてください。",
        signInWith: "% でログイン", signInAs: "% としてログイン",
        linkHint: "リンクは 1 回だけ、15 分間使えます。", useLink: "ログインする",
        refusals: [
            .linkUnknown: Message(
                title: "このリンクは見つかりません", sentence: "一部が欠けているかもしれません。管理者に新しいリンクを頼んでください。"),
            .linkUsed: Message(
                title: "このリンクは使用済みです",
                sentence: "リンクは 1 回だけ使えます。自分で使った覚えがなければ、すぐ管理者に知らせてください。そうでなければ新しいリンクを頼んでください。"),
            .linkExpired: Message(
                title: "このリンクは期限切れです", sentence: "リンクが使えるのは 15 分間です。管理者に新しいリンクを頼んでください。"),
            .personUnknown: Message(
                title: "登録されていません", sentence: "認証は済みましたが、まだ登録されていません。管理者に連絡してください。"),
            .personRemoved: Message(
                title: "ログインできなくなりました", sentence: "管理者が登録を外しました。間違いであれば管理者に連絡してください。"),
            .mailUnverified: Message(
                title: "メールアドレスが確認されていません", sentence: "認証サービスで確認を済ませてから、もう一度ログインしてください。"),
            .providerRefused: Message(
                title: "ログインしていません", sentence: "認証サービスが許可しなかったか、キャンセルされました。"),
        ],
        refused: Message(
            title: "このログインは終わっています",
            sentence: "時間がかかりすぎたか、別のブラウザで始めたか、使用済みです。もう一度やり直してください。"),
        away: Message(
            title: "認証サービスが応答しません", sentence: "しばらくしてからもう一度試すか、管理者にリンクを頼んでください。"),
        crossSite: Message(
            title: "別のページから送られました", sentence: "安全のため、コンソールのページからだけ操作できます。ここからやり直してください。"),
        notFound: Message(title: "ページがありません", sentence: "コンソールにこのページはありません。"),
        notAllowed: Message(title: "権限がありません", sentence: "必要な役割がありません。"),
        tooMany: Message(title: "試行が多すぎます", sentence: "1 分ほど待ってから、もう一度試してください。"),
        broken: Message(title: "うまくいきませんでした", sentence: "しばらくしてから、もう一度試してください。"),
        tryAgain: "もう一度試す", toSignIn: "ログインへ", toStart: "コンソールへ",
        signedIn: "ログイン中：%", roles: "役割：%", sessions: "ログイン中のブラウザ",
        session: "% から", thisSession: "このブラウザ",
        methods: [.link: "リンク", .openid: "認証サービス"], endSession: "終了",
        signOut: "ログアウト")
}
