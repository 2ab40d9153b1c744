import Charts

/// The words of the pictures of versions and of their adoption.
struct VersionTexts: Sendable {
    let title: String
    let versions: String
    let answers: String
    /// The title of the third chart, with the target in place of `%`.
    let adoption: String
    let noTarget: String
    let start: String
    /// The title of releases that are laid over each other, from when days count, what may be older, and what
    /// no installation had.
    let releases: String
    let sinceFirstDay: String
    let mayBeOlder: String
    let unseen: String
    let actions: [UpdatePolicy.Action: String]
}

extension VersionTexts {
    init(_ words: ChartWords) { self = words.tag == "ja" ? Self.japanese : Self.english }

    private static let english = VersionTexts(
        title: "Versions of apps", versions: "Versions, share of calls", answers: "Answers, calls per day",
        adoption: "% or newer, share of calls", noTarget: "No policy has a target", start: "start",
        releases: "Releases, share of installations with it or a newer one",
        sinceFirstDay: "days since 1% had it", mayBeOlder: "may be older",
        unseen: "not seen",
        actions: [.none: "none", .soft: "soft", .hard: "hard", .block: "block"])

    private static let japanese = VersionTexts(
        title: "アプリのバージョン", versions: "バージョン別の割合", answers: "判定別の呼び出し数（日ごと）",
        adoption: "% 以上の割合", noTarget: "目標バージョンのあるポリシーがありません", start: "開始",
        releases: "リリース別の普及率（そのバージョン以上の端末の割合）", sinceFirstDay: "普及率が1%に達した日からの日数",
        mayBeOlder: "開始日が不明なバージョン", unseen: "集計にないバージョン",
        actions: [.none: "なし", .soft: "任意", .hard: "必須", .block: "停止"])
}
