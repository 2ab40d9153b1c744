import Foundation
import HTTPTypes
import Hummingbird
import Kernel
import Web

/// A person who asks for a page, or sends its form.
struct PageRequest: Sendable {
    let session: PersonSession
    let words: Words
    let api: ConsoleAPI
    let now: Date
    let query: Query
    /// The path without the query, but for the name that stands there.
    let path: String
    let parameters: Parameters
    /// The name of the thing that the page is about, if it stands in the query.
    let name: String?
    /// Whether a person of some roles may make a call: `GET /v1/links`.
    let mayCall: @Sendable (String) -> Bool
    let acts: [Act]
    let token: String
    /// Makes what a form has of its own (`Entries.once`).
    let newOnce: @Sendable () -> String
    /// What was sent, and is asked for again: of which act, with which entries, and why.
    var refused: (act: String, entries: Entries, problem: APIProblem?)?

    /// Returns a parameter of the path, decoded.
    func parameter(_ name: String) -> String {
        self.name ?? parameters.get(name).flatMap { PercentEncoding.decode($0.utf8) } ?? ""
    }

    /// Returns a parameter of the query. Empty if it is not given, or cannot be read.
    func value(_ name: String) -> String { ((try? query.value(name)) ?? nil) ?? "" }

    /// Whether the person may do an act of the page.
    func may(_ act: String) -> Bool { acts.contains { $0.name == act && mayCall($0.call) } }

    /// The page that asks whether an act is meant, for browsers without scripts.
    func question(of entries: Entries) -> Page {
        var page = Page(entries[Entries.question])
        page.actions = [Way(path: path, title: words["kit.cancel"])]
        let kept = entries.all.filter { $0.name != "act" && $0.name != "token" }
        page.parts = [
            Form(
                act: entries["act"], fields: [], submit: words["kit.doIt"], kind: .danger,
                hidden: kept + [(Entries.confirmed, "yes")], token: token)
        ]
        return page
    }

    /// Makes the form of an act. Nil if the person may not do it. After a refusal it has what was entered,
    /// and says at the field what is wrong.
    /// - Parameter isOnce: whether it makes something that is not to be made again if it is sent twice.
    func form(
        _ act: String, _ fields: [Field], submit: String, kind: Form.Kind = .first,
        hidden: [(String, String)] = [], isOnce: Bool = false, question: String? = nil
    ) -> Form? {
        guard may(act) else { return nil }
        var (fields, mistake) = (fields, Markup?.none)
        if let refused, refused.act == act,
            hidden.allSatisfy({ refused.entries[$0.0] == $0.1 || ["revision", Entries.seen].contains($0.0) })
        {
            var isSaid = refused.problem == nil
            for index in fields.indices {
                fields[index].value = refused.entries[fields[index].name]
                fields[index].rows = refused.entries.rows(of: fields[index].name)
                if let problem = refused.problem, problem.field == fields[index].name {
                    fields[index].mistake = problem.sentence(words, of: fields[index].title)
                    isSaid = true
                }
            }
            if let problem = refused.problem, !isSaid {
                let title = problem.field.flatMap { words.text(ifAny: "detail.\($0)") }
                mistake = problem.sentence(words, of: title)
            }
        }
        let hidden = hidden + (isOnce ? [(Entries.once, once(of: act))] : [])
        var form = Form(act: act, fields: fields, submit: submit, kind: kind, hidden: hidden, token: token)
        form.question = question
        form.mistake = mistake
        return form
    }

    /// What was sent with an act before, if nobody knows whether it was done. Else a new one.
    private func once(of act: String) -> String {
        guard let refused, refused.act == act, refused.problem?.status ?? 0 >= 500 else { return newOnce() }
        return refused.entries[Entries.once].nonEmpty ?? newOnce()
    }
}
