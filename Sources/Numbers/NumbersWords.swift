import Charts
import Counts
import Web

/// What measures, dimensions and some of their values are called, and what one of each measure is: in
/// English, and in Japanese. What is not listed has its name in calls.
struct NumbersWords {
    let isJapanese: Bool

    init(_ words: ChartWords) { isJapanese = words.tag == "ja" }

    private static let measures: [String: (english: String, japanese: String)] = [
        "links.clicks": ("Clicks of deep links", "ディープリンクのクリック"),
        "links.redirects": ("Clicks that were sent on at once", "ページなしで転送したクリック"),
        "links.visitors": ("Visitors of deep links", "ディープリンクの訪問者"),
        "links.installs": ("Installs by deep links", "ディープリンクからのインストール"),
        "links.first_opens": ("First opens by deep links", "ディープリンクからの初回起動"),
        "links.reopens": ("Apps opened by deep links", "ディープリンクからの起動"),
        "links.sign_ups": ("Sign-ups by deep links", "ディープリンクからの登録"),
        "links.friendships": ("Friendships by deep links", "ディープリンクから生まれた友達"),
        "invites.passed_on": ("Invited users who brought a friend", "招待された人による初めての招待成立"),
        "invites.time_to_share": ("From sign-up to the first visit of an invite", "登録から最初の招待表示まで"),
        "invites.time_to_friendship": ("From the store to the friendship", "ストアから友達になるまで"),
        "cohorts.opened_7": ("Invites opened within 7 days of sign-up", "登録後7日以内の招待ページ表示"),
        "cohorts.opened_30": ("Invites opened within 30 days of sign-up", "登録後30日以内の招待ページ表示"),
        "cohorts.joined_7": ("Brought within 7 days of sign-up", "登録後7日以内に招待で登録した人数"),
        "cohorts.joined_30": ("Brought within 30 days of sign-up", "登録後30日以内に招待で登録した人数"),
        "versions.installations": ("Installations", "インストール端末数"),
        "versions.calls": ("Calls for a policy", "ポリシーの問い合わせ"),
        "invites.pages": ("Invites opened", "招待ページの表示"),
        "invites.visitors": ("Visitors of invites", "招待ページの訪問者"),
        "invites.taps": ("From invites to a store", "招待ページからストアへ"),
        "invites.installs": ("Installs by invites", "招待からのインストール"),
        "invites.first_opens": ("First opens by invites", "招待からの初回起動"),
        "invites.sign_ups": ("Sign-ups by invites", "招待からの登録"),
        "invites.friendships": ("Friendships by invites", "招待から生まれた友達"),
        Funnel.name: ("The way of invites", "招待のファネル"),
        "invites.made": ("Invite links made", "作成された招待リンク"),
        "people.sign_ups": ("Sign-ups", "新規登録"),
        "people.active": ("Active people of a day", "アクティブユーザー（日）"),
        "people.active_monthly": ("Active people of a month", "アクティブユーザー（月）"),
        "people.accounts": ("Accounts", "アカウント数"),
        "people.deletions": ("Accounts deleted", "退会"),
        "people.suspensions": ("Suspensions", "利用停止"),
        "people.returns": ("Users restored", "利用再開"),
        "people.renames": ("Renames", "ユーザー名の変更"),
        "friendships.made": ("New friendships", "新しい友達関係"),
        "friendships.ended": ("Friendships that ended", "解消された友達関係"),
        "friendships.requested": ("Friend requests", "友達リクエスト"),
        "friendships.answered": ("Friend requests that were answered", "返事のあった友達リクエスト"),
        "offers.dealt": ("Offer codes given", "配布したオファーコード"),
        "offers.redeemed": ("Offers redeemed", "利用されたオファー"),
        "offers.free": ("Offer codes left", "残りのオファーコード"),
        "offers.expiring": ("Offer codes that expire", "期限が近いオファーコード"),
        "rewards.settled": ("Rewards redeemed", "利用された特典"),
        "rewards.waiting": ("Rewards in their hold", "確定待ちの特典"),
        "rewards.held": ("Rewards to decide", "審査待ちの特典"),
        "rewards.owed": ("Rewards not spent yet", "未使用の特典"),
        "purchases.started": ("New purchases", "新規購入"),
        "purchases.renewed": ("Renewals", "更新"),
        "purchases.ended": ("Purchases that expired", "期限切れ"),
        "purchases.refunded": ("Refunds", "返金"),
        "rewards.earned": ("Rewards earned", "獲得された特典"),
        "rewards.flagged": ("Rewards held back", "保留された特典"),
        "rewards.approved": ("Rewards given", "付与された特典"),
        "rewards.ended": ("Rewards that ended", "終了した特典"),
        "rewards.clawed_back": ("Rewards taken back", "取り消された特典"),
    ]

    /// What one of each measure is, in Japanese. In English the measure itself says it.
    private static let meanings: [String: String] = [
        "links.clicks": "ディープリンクが開かれた回数です。",
        "links.redirects": "ディープリンクを開いた人を、ページを見せずに転送した回数です。",
        "links.visitors": "その日に訪れた人の数です。2 日訪れた人は両方の日に数えます。",
        "links.installs": "ディープリンクからストアへ進み、アプリがインストールされた回数です。",
        "links.first_opens": "ディープリンクから来て、アプリが初めて起動された回数です。",
        "links.reopens": "ディープリンクで、すでに入っているアプリが開かれた回数です。",
        "links.sign_ups": "ディープリンクから来て登録した人の数です。",
        "links.friendships": "一方がもう一方の招待で登録し、ディープリンクから来ていた 2 人が友達になった回数です。",
        "invites.pages": "招待が開かれた回数です。",
        "invites.visitors": "その日に招待を訪れた人の数です。2 日訪れた人は両方の日に数えます。",
        "invites.taps": "招待のページからストアへ進んだ回数です。",
        "invites.installs": "招待からストアへ進み、アプリがインストールされた回数です。",
        "invites.first_opens": "招待から来て、アプリが初めて起動された回数です。",
        "invites.sign_ups": "招待で登録した人の数です。",
        "invites.friendships": "一方がもう一方の招待で登録した 2 人が、友達になった回数です。",
        "invites.passed_on": "招待で登録した人が、初めて自分の友達を連れてきた回数です。",
        "invites.time_to_share": "登録してから、その人の招待が初めて開かれるまでの時間です。",
        "invites.time_to_friendship": "ストアへ進んでから、招待で友達になるまでの時間です。",
        "cohorts.opened_7": "その日に登録した人の招待が、7 日以内に開かれた回数です。",
        "cohorts.opened_30": "その日に登録した人の招待が、30 日以内に開かれた回数です。",
        "cohorts.joined_7": "その日に登録した人の招待で、7 日以内に登録した人の数です。割合が k です。",
        "cohorts.joined_30": "その日に登録した人の招待で、30 日以内に登録した人の数です。割合が k です。",
        "invites.made": "ユーザーがカスタムリンクを作るか、短縮コードを受け取った回数です。",
        "versions.installations": "その日にポリシーを問い合わせた端末の数です。更新した端末は両方のバージョンに数えます。",
        "versions.calls": "アプリがポリシーを問い合わせた回数です。",
        "people.sign_ups": "招待の有無を問わず、登録した人の数です。",
        "people.active": "その日に自分のトークンで呼び出した人の数です。",
        "people.active_monthly": "その月に呼び出した人の数です。月の最初の日に示します。",
        "people.accounts": "有効なアカウントの数です。友達の数で分けられます。",
        "people.deletions": "ユーザーが退会した回数です。",
        "people.suspensions": "運営者がユーザーの利用を停止した回数です。",
        "people.returns": "運営者が利用停止を解除した回数です。",
        "people.renames": "ユーザーがユーザー名を変えた回数です。",
        "friendships.made": "招待かどうかを問わず、2 人が友達になった回数です。",
        "friendships.ended": "2 人が友達をやめた回数です。",
        "friendships.requested": "友達リクエストが相手に届いた回数です。",
        "friendships.answered": "リクエストが承認・拒否・取り下げされたか、送った人がいなくなった回数です。",
        "offers.free": "キャンペーンでまだ配れるコードの数です。",
        "offers.expiring": "誰にも配られておらず、30 日以内に期限が切れるコードの数です。",
        "offers.redeemed": "オファーで購入が始まったか、更新された回数です。",
        "offers.dealt": "ユーザーがキャンペーンのオファーコードを受け取った回数です。",
        "purchases.started": "購入がユーザーのものになった回数です。サンドボックスと試しの購入は除きます。",
        "purchases.renewed": "次の期間が支払われたか、無料で付いた回数です。",
        "purchases.ended": "購入の期限が切れたと Apple が知らせた回数です。",
        "purchases.refunded": "Apple が期間を取り消した回数です。",
        "rewards.earned": "ユーザーがプログラムの特典を獲得した回数です。",
        "rewards.flagged": "不正対策の規則が特典を保留したか、止めた回数です。",
        "rewards.approved": "ユーザーが特典を受け取った回数です。",
        "rewards.settled": "特典のコードをユーザーが使った回数です。",
        "rewards.waiting": "確定を待っている特典の数です。",
        "rewards.held": "運営者の審査を待っている特典の数です。",
        "rewards.owed": "ユーザーが持っていて、まだ使っていないものの量です。単位ごとに示します。",
        "rewards.ended": "付与される前に終わった特典の数です。",
        "rewards.clawed_back": "取り消された特典の数です。",
        Funnel.name: "招待のページから、招待で来て友達を連れてきた人までの流れです。",
    ]

    private static let dimensions: [String: (english: String, japanese: String)] = [
        "platform": ("platform", "プラットフォーム"), "country": ("country", "国"), "referrer": ("referrer", "参照元"),
        "utm_source": ("source", "流入元"), "utm_medium": ("medium", "媒体"),
        "utm_campaign": ("campaign", "キャンペーン"), "language": ("language", "言語"),
        "browser": ("in-app browser", "アプリ内ブラウザー"), "app": ("app", "アプリ"), "kind": ("kind", "種類"),
        "item": ("item", "項目"), "cause": ("cause", "きっかけ"), "seconds": ("seconds", "秒数"),
        "version": ("version", "バージョン"), "via": ("way", "開き方"),
        "friends": ("friends", "友達の数"), "os": ("OS version", "OSのバージョン"),
    ]

    /// The values of dimensions whose values Kith itself gives.
    private static let values: [String: (english: String, japanese: String)] = [
        "ios": ("iOS", "iOS"), "android": ("Android", "Android"), "desktop": ("Computer", "パソコン"),
        "other": ("other", "それ以外"), "invited": ("invited", "招待あり"), "alone": ("alone", "招待なし"),
        "invite": ("by an invite", "招待"), "qr": ("QR code", "QRコード"),
        "accepted": ("accepted", "承認"), "declined": ("declined", "拒否"), "withdrawn": ("withdrawn", "取り下げ"),
        "name": ("link with the name", "名前のリンク"),
        "personal": ("short code", "短縮コード"), "custom": ("custom link", "カスタムリンク"),
    ]
    private static let own: Set<CountDimension> = [.platform, .kind, .cause, .via]

    private func chosen(_ words: (english: String, japanese: String)?) -> String? {
        words.map { isJapanese ? $0.japanese : $0.english }
    }

    func name(of measure: Measure) -> String { chosen(Self.measures[measure.name]) ?? measure.name }

    func meaning(of measure: Measure) -> String { meaning(measure.name, measure.summary) }

    /// What the funnel tells.
    var meaningOfFunnel: String { meaning(Funnel.name, Funnel.summary) }

    private func meaning(_ name: String, _ english: String) -> String {
        isJapanese ? Self.meanings[name] ?? english : english
    }

    var funnel: String { chosen(Self.measures[Funnel.name]) ?? Funnel.name }

    /// Says that steps are in no number of a value of a dimension.
    func unknown(_ steps: [Measure], by dimension: CountDimension) -> String {
        let names = steps.map(name(of:))
        return isJapanese
            ? "\(name(of: dimension))別の記録なし：\(names.joined(separator: "、"))"
            : "not known by \(name(of: dimension)): \(names.joined(separator: ", "))"
    }

    /// Says that numbers are of different ones of a length of time.
    func distinct(_ unit: ChartUnit) -> String {
        guard isJapanese else { return "different ones of each \(unit.rawValue), which do not add up" }
        return "\(unit == .month ? "月" : "日")ごとの重複なし集計（合計はできません）"
    }

    /// Says how many links are in no number.
    func leftOut(_ links: Int) -> String {
        isJapanese
            ? "クリックの少ないリンク\(links.grouped)件を除く" : "without \(links.grouped) links that were clicked least"
    }

    func name(of dimension: CountDimension) -> String {
        chosen(Self.dimensions[dimension.rawValue]) ?? dimension.rawValue
    }

    func name(of value: String, _ dimension: CountDimension) -> String {
        (Self.own.contains(dimension) ? chosen(Self.values[value]) : nil) ?? value
    }

    /// What the share of a measure is called.
    func share(of base: String) -> String {
        let name = chosen(Self.measures[base]) ?? base
        return isJapanese
            ? "「\(name)」に対する割合" : "Share of \(name.prefix(1).lowercased())\(name.dropFirst())"
    }

    var duration: String { isJapanese ? "かかった時間" : "How long it took" }
    var median: String { isJapanese ? "半数" : "half within" }
    var p90: String { isJapanese ? "9割" : "nine tenths within" }

    func title(of measure: Measure, by dimension: CountDimension?) -> String {
        guard let dimension else { return name(of: measure) }
        return isJapanese
            ? "\(name(of: measure))（\(name(of: dimension))別）"
            : "\(name(of: measure)) by \(name(of: dimension))"
    }
}
