import Charts
import Counts
import Web

/// What measures, dimensions and some of their values are called in pictures: in English, and in Japanese.
/// What is not listed has its name in calls.
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
