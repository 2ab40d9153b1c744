/// Pictures of phones with the message of an app.
struct Phones: Part {
    struct Screen: Sendable {
        /// The language of the message, which stands above the phone.
        let language: String
        let title: String
        let text: String
        /// What one can press, the first of which stands out.
        let buttons: [String]
        var isAndroid = false
    }
    let screens: [Screen]

    func markup(_ words: Words) -> Markup {
        tag("ul", ["class": "phones"], screens.map { markup($0, words) })
    }

    private func markup(_ screen: Screen, _ words: Words) -> Markup {
        let language = screen.language.nonEmpty
        let buttons = screen.buttons.enumerated().map { place, text in
            tag("span", ["class": place == 0 ? "button first" : "button"], text)
        }
        let message = tag(
            "div", ["class": "message", "lang": language],
            [tag("strong", [:], screen.title), tag("p", [:], screen.text)] + buttons)
        return tag(
            "li", ["data-key": language],
            language.map { tag("span", ["class": "soft"], words.languageName($0)) } ?? .nothing,
            tag("div", ["class": screen.isAndroid ? "phone android" : "phone"], message))
    }
}
