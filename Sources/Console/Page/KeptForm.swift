/// A form that needs a new sign-in first: its page keeps what was entered.
struct KeptForm {
    enum Reason: String {
        /// The session has ended.
        case ended = "sessionEnded"
        /// The sign-in is too long ago for what the form does.
        case stale = "signInStale"
    }

    let entries: Entries
    /// Where it was sent to, with the query.
    let path: String
    let why: Reason

    func html(_ words: Words) -> String {
        let title = words["kit.\(why.rawValue)"]
        let again = Form(
            act: entries["act"], fields: [], submit: words["kit.sendOn"], path: path,
            hidden: entries.all.filter { $0.name != "act" })
        let main = tag(
            "main", ["id": "main", "class": "alone"],
            tag("h1", [:], title), tag("p", [:], words["kit.\(why.rawValue)Sentence"]),
            tag(
                "p", ["class": "ways"],
                anchor(
                    "/sign-in?anew=1", words["kit.signInBeside"],
                    ["class": "button first", "target": "_blank"])),
            again.markup(words),
            Facts(entries.shown.map { ($0.name, .text($0.value)) }).markup(words))
        return PageFrame.document(title, words, body: main)
    }
}
