import Charts

/// The words of the picture of versions.
struct VersionTexts: Sendable {
    let title: String
    let versions: String
    let answers: String
    /// The title of the third chart, with the target in place of `%`.
    let adoption: String
    let noTarget: String
    let start: String
    let actions: [UpdatePolicy.Action: String]
}

extension VersionTexts {
    init(_ words: ChartWords) { self = words.tag == "ja" ? Self.japanese : Self.english }

    private static let english = VersionTexts(
        title: "Versions of apps", versions: "Versions, share of calls", answers: "Answers, calls per day",
        adoption: "% or newer, share of calls", noTarget: "No policy has a target", start: "start",
        actions: [.none: "none", .soft: "soft", .hard: "hard", .block: "block"])

    private static let japanese = VersionTexts(
        title: "アプリのバージョン", versions: "バージョン別の割合", answers: "判定別の呼び出し数（日ごと）",
        adoption: "% 以上の割合", noTarget: "目標バージョンのあるポリシーがありません", start: "開始",
        actions: [.none: "なし", .soft: "任意", .hard: "必須", .block: "停止"])
}
