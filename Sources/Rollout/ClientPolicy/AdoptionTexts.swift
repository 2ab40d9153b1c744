import Web

/// The words of the picture of versions.
struct AdoptionTexts: Sendable {
    let tag: String
    let title: String
    let versions: String
    let answers: String
    /// The title of the third chart, with the target in place of `%`.
    let adoption: String
    let noTarget: String
    let start: String
    let other: String
    let nobody: String
    let actions: [UpdatePolicy.Action: String]
}

extension AdoptionTexts {
    /// Throws a 400 for a language in which the picture is not available.
    init(_ language: String?) throws(Problem) {
        switch language {
        case nil, "en": self = Self.english
        case "ja": self = Self.japanese
        default: throw .invalid("language", "must be en or ja")
        }
    }

    private static let english = AdoptionTexts(
        tag: "en", title: "Versions of apps", versions: "Versions, share of calls",
        answers: "Answers, calls a day",
        adoption: "% or newer, share of calls", noTarget: "No policy has a target", start: "start",
        other: "others", nobody: "Nobody called",
        actions: [.none: "none", .soft: "soft", .hard: "hard", .block: "block"])

    private static let japanese = AdoptionTexts(
        tag: "ja", title: "アプリのバージョン", versions: "バージョン別の割合", answers: "判定別の呼び出し数（日ごと）",
        adoption: "% 以上の割合", noTarget: "目標バージョンのあるポリシーがありません", start: "開始",
        other: "その他", nobody: "呼び出しはありません",
        actions: [.none: "なし", .soft: "任意", .hard: "必須", .block: "停止"])
}
