import Web

/// HTML whose texts are escaped. Markup comes from these functions alone, so no value can become a tag.
struct Markup: Sendable {
    fileprivate(set) var html = ""

    /// Makes a text, escaped. One that may turn the line in which it stands has a place of its own there.
    init(_ text: String) {
        html = text.turnsLines ? "<bdi>\(HTML.escape(text.withoutIsolates))</bdi>" : HTML.escape(text)
    }

    /// Makes the text of an element that holds no others.
    fileprivate init(alone text: String) { html = HTML.escape(text) }

    fileprivate init(html: String) { self.html = html }

    init(_ parts: [Markup]) { html = parts.map(\.html).joined() }

    static let nothing = Markup(html: "")

    var isEmpty: Bool { html.isEmpty }

    static func + (one: Markup, other: Markup) -> Markup { Markup(html: one.html + other.html) }
}

/// The attributes of an element, in order. Nil leaves one out; an empty text switches on what is on or off.
typealias Attributes = KeyValuePairs<String, String?>

/// Makes an element. Names are literals of the kit; values are escaped.
func tag(_ name: StaticString, _ attributes: Attributes = [:], _ content: Markup...) -> Markup {
    tag(name, attributes, content)
}

func tag(_ name: StaticString, _ attributes: Attributes = [:], _ content: [Markup]) -> Markup {
    tag(name, attributes, [:], content)
}

private func tag(_ name: StaticString, _ own: Attributes, _ more: Attributes, _ content: [Markup]) -> Markup {
    var html = "<\(name)"
    for (key, value) in Array(own) + Array(more) {
        guard let value else { continue }
        html += " \(key)=\"\(HTML.escape(value))\""
    }
    html += ">"
    guard !isVoid(name) else { return Markup(html: html) }
    for part in content { html += part.html }
    html += "</\(name)>"
    return Markup(html: html)
}

/// Makes an element with nothing but a text.
func tag(_ name: StaticString, _ attributes: Attributes = [:], _ text: String) -> Markup {
    tag(name, attributes, [holdsTextAlone(name) ? Markup(alone: text) : Markup(text)])
}

/// Whether tags within an element are text, or are dropped.
private func holdsTextAlone(_ name: StaticString) -> Bool {
    ["title", "textarea", "option"].contains(name.description)
}

/// Whether an element has no end tag (https://html.spec.whatwg.org/multipage/syntax.html#void-elements).
private func isVoid(_ name: StaticString) -> Bool {
    ["input", "img", "source", "meta", "link", "br", "hr"].contains(name.description)
}

/// Makes a link. A URL that came from a user leads nowhere unless it is one of the web.
func anchor(_ url: String, _ text: String, _ attributes: Attributes = [:]) -> Markup {
    let isSafe =
        url.hasPrefix("/") && !url.hasPrefix("//") || url.hasPrefix("https://") || url.hasPrefix("http://")
        || url.hasPrefix("?") || url.hasPrefix("#")
    guard isSafe else { return tag("span", [:], text) }
    let isOutside = url.hasPrefix("http")
    let own: Attributes = ["href": url, "rel": isOutside ? "noreferrer noopener" : nil]
    return tag("a", own, attributes, [Markup(text)])
}
