/// The looks of pictures in two themes. Neighbouring parts also differ in brightness and by a pattern or a
/// dash, so that they can be told apart without colours.
enum ChartStyle {
    /// How many values have a look of their own.
    static let looks = 7

    private struct Theme {
        let ground, ink, soft, line: String
        /// The colours of the looks; then those of others and of what is unknown.
        let colours: [String]
    }

    private static let light = Theme(
        ground: "#fff", ink: "#18171d", soft: "#5f5c69", line: "#e4e2ea",
        colours: [
            "#5b54d6", "#d97f00", "#0b8a6f", "#c4558f", "#3596d8", "#a8400d", "#7d7a12", "#8d8a97", "#b9b6c3",
        ])
    private static let dark = Theme(
        ground: "#1c1b22", ink: "#f5f4f8", soft: "#aaa7b4", line: "#34323d",
        colours: [
            "#9a94ff", "#f3ab45", "#3cc7a3", "#e78cbb", "#7cc4f5", "#f0804a", "#c9c552", "#8b8896", "#625f6e",
        ])

    /// The lines of the patterns, in tiles of 6 by 6. The first look has none.
    private static let hatches = [
        "", "M-1 1l2-2M0 6l6-6M5 7l2-2", "M1.5 1.5h.01M4.5 4.5h.01", "M-1 5l2 2M0 0l6 6M5-1l2 2", "M0 3h6",
        "M3 0v6M0 3h6", "M3 0v6", "", "M3 3h.01",
    ]
    private static let dashes = ["", "7 4", "2 3", "9 3 2 3", "5 2", "1 4", "12 4", "", "2 6"]

    static func look(_ number: Int) -> Int { min(max(0, number), looks + 1) }

    static func fill(_ look: Int) -> String { "fill=\"url(#p\(look))\"" }

    static func stroke(_ look: Int) -> String {
        let dash = dashes[look].isEmpty ? "" : " stroke-dasharray=\"\(dashes[look])\""
        return "class=\"stroke s\(look)\"\(dash)"
    }

    /// The style sheet and the patterns.
    static let head: String = {
        let patterns = hatches.indices.map { look in
            let hatch = hatches[look].isEmpty ? "" : "<path class=\"hatch\" d=\"\(hatches[look])\"/>"
            return """
                <pattern id="p\(look)" width="6" height="6" patternUnits="userSpaceOnUse"><path class="f\(look)" d="M0 0h6v6H0z"/>\
                \(hatch)</pattern>
                """
        }
        return """
            <style>text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Hiragino Sans","Noto Sans JP","Noto Sans CJK JP",\
            "Yu Gothic UI",Meiryo,sans-serif;font-size:12px;font-variant-numeric:tabular-nums}\
            .title{font-size:16px;font-weight:600}.figure{font-size:32px;font-weight:700;letter-spacing:-.01em}\
            .name{font-size:13px}.head{font-size:14px;font-weight:600}.line,.axis,.mark,.hatch,.stroke{fill:none}\
            .hatch{stroke-width:1.4;stroke-opacity:.6;stroke-linecap:round}.stroke{stroke-width:2;stroke-linejoin:round}\
            .mark{stroke-dasharray:4 3}.area{fill-opacity:.18}.peak{paint-order:stroke;stroke-width:4px;stroke-linejoin:round}\
            \(rules(light))@media(prefers-color-scheme:dark){\(rules(dark))}</style>
            <defs>\(patterns.joined())</defs>
            """
    }()

    private static func rules(_ theme: Theme) -> String {
        let own = theme.colours.enumerated().map { ".f\($0){fill:\($1)}.s\($0){stroke:\($1)}" }
        return """
            .ground{fill:\(theme.ground)}.title,.figure,.head,.name,.peak{fill:\(theme.ink)}.soft{fill:\(theme.soft)}\
            .line{stroke:\(theme.line)}.axis,.mark{stroke:\(theme.soft)}.gap,.hatch,.peak{stroke:\(theme.ground)}.track{fill:\(theme.line)}\
            \(own.joined())
            """
    }
}
