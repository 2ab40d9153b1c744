import Foundation

/// A refusal as the reader sees it.
extension APIProblem {
    /// Says why the call was refused: in the reader's language, and where only the API knows, in its words.
    /// - Parameter title: what the refused field is called on the form.
    func sentence(_ words: Words, of title: String? = nil) -> Markup {
        let (text, english) = told(words, of: title)
        return Markup(text) + (english.map { tag("span", ["lang": "en"], $0) } ?? .nothing)
    }

    /// The same as a text.
    func text(_ words: Words) -> String {
        let (text, english) = told(words, of: nil)
        return text + (english ?? "")
    }

    private func told(_ words: Words, of title: String?) -> (text: String, english: String?) {
        if code == Self.ownCode { return (detail, nil) }
        if let own = words.text(ifAny: "problem.\(code)") { return (own, nil) }
        let detail = title.map(detail(naming:)) ?? detail
        guard let sayings = words.sayings else { return (detail, nil) }
        if let said = sayings(detail) { return (said, nil) }
        guard let meaning = sayings.meaning(of: code) else { return ("", detail) }
        let text = meaning.replacing("{detail}", with: "")
        return (text, text == meaning ? nil : detail)
    }

    /// What the API says, in which the field has its title in place of its name in calls.
    private func detail(naming title: String) -> String {
        // Of several mistakes each has a field of its own.
        let place = /(?:`[^`]+`|[\w\-]+(?:\.[\w\-]+)+(:))(?= )/
        guard field != nil, !detail.contains("; "), let name = detail.prefixMatch(of: place) else {
            return detail
        }
        return "“\(title)”\(name.1 == nil ? "" : ":")" + detail[name.range.upperBound...]
    }
}
