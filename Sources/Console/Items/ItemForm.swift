import Kernel
import Web

/// The form of an item, and what becomes of its entries.
struct ItemForm: Sendable {
    let kind: ItemKind
    let words: Words
    /// The item as its form shows it. Nil if it is new.
    private let item: ItemKind.Fields?
    /// How many new parts were entered, by the names of their groups.
    private let entered: [String: Int]

    init(kind: ItemKind, words: Words, item: ItemKind.Fields?, entries: Entries? = nil) {
        (self.kind, self.words) = (kind, words)
        entered = Dictionary(kind.groups.map { ($0.name, entries.map($0.count) ?? 0) }) { first, _ in first }
        self.item = item.map(kind.shown)
    }

    /// Makes the form as what else is published wants it.
    init(
        _ kind: ItemKind, _ asked: PageRequest, item: ItemKind.Fields?, entries: Entries?
    ) async throws {
        let adapted = try await kind.adapted?(kind, asked, item, entries) ?? kind
        self.init(kind: adapted, words: asked.words, item: item, entries: entries)
    }

    /// The fields with their values. A new item's first one is its name.
    var fields: [Field] {
        let name = Field("key", words["items.key"], hint: words["items.keyHint"], isNeeded: true)
        let (own, tail) = (kind.fields(words), kind.tail(words))
        return (item == nil ? [name] : []) + own.map { filled($0, $0.name) }
            + kind.groups.flatMap(fields(of:)) + tail.map { filled($0, $0.name) }
    }

    private func fields(of group: ItemGroup) -> [Field] {
        let title = "items.\(kind.section).\(group.name)"
        let known = group.keys(item ?? [:]).flatMap { key in
            part(
                group.fields(words), at: "\(group.name).\(key)",
                words(title, ["name": group.title(words, key)]))
        }
        let new = (0..<count(of: group)).flatMap { place in
            let name = words("items.newPart", ["number": words.number(place + 1)])
            var fields = part(
                [group.key(words)] + group.fields(words), at: group.newKey(place),
                words(title, ["name": name]))
            let begun = begun(group)
            for index in fields.indices {
                let own = fields[index].name.dropFirst(group.newKey(place).count + 1)
                if begun.indices.contains(place) { fields[index].value = begun[place][String(own)] ?? "" }
                // A part without a name is none.
                fields[index].isNeeded = false
            }
            return fields
        }
        return known + new + [Field(group.name, words["\(title).new"], .again(group.name, told: nil))]
    }

    private func part(_ fields: [Field], at place: String, _ title: String) -> [Field] {
        fields.map { field in
            var field = filled(field, field.name.isEmpty ? place : "\(place).\(field.name)").grouped(title)
            field.isOfPart = true
            return field
        }
    }

    private func begun(_ group: ItemGroup) -> [ItemKind.Fields] {
        group.keys(item ?? [:]).isEmpty ? group.first : []
    }

    /// How many new parts of a group the form has.
    private func count(of group: ItemGroup) -> Int {
        max(begun(group).count, entered[group.name] ?? 0)
    }

    private func filled(_ field: Field, _ name: String) -> Field {
        var field = field.named(name)
        field.value = item?[name].map { field.isTime ? words.local($0) : $0 } ?? field.value
        return field
    }
}

/// From what was entered to the item.
extension ItemForm {
    /// The item's fields as they are to be: those that the form shows as entered, the others as they were.
    /// Throws an ``APIProblem`` that names the field of a part without a good name.
    func changed(by entries: Entries) throws -> ItemKind.Fields {
        var result = item ?? [:]
        for field in fields where field.name != "key" {
            guard let name = itemName(of: field.name, entries) else { continue }
            if field.isTime {
                // The same moment stays as it was written.
                let isSame = result[name].map { words.local($0) == entries[field.name] } ?? false
                if !isSame { result[name] = words.moment(ofLocal: entries[field.name]).nonEmpty }
                continue
            }
            let entry = entries[field.name].replacing("、", with: ",").replacing(", ", with: ",")
            result[name] = entry.isEmpty ? nil : kind.isText(name) ? entries[field.name] : entry
        }
        result = kind.kept(result)
        if let mistake = kind.mistake?(result, entries) {
            throw APIProblem.entry(mistake.field, mistake.sentence)
        }
        for group in kind.groups { try checkNames(of: group, entries) }
        return result
    }

    private func checkNames(of group: ItemGroup, _ entries: Entries) throws {
        var known = Set(group.keys(item ?? [:]))
        for place in 0..<count(of: group) {
            let name = group.newKey(place)
            let key = entries[name]
            if key.isEmpty, !group.fields(words).contains(where: { !entries["\(name).\($0.name)"].isEmpty }) {
                continue
            }
            guard !key.isEmpty else { throw APIProblem.entry(name, words["items.keyMissing"]) }
            guard EntryKey.isOne(key) else { throw APIProblem.entry(name, words["items.keyHint"]) }
            guard known.insert(key).inserted else { throw APIProblem.entry(name, words["items.keyTaken"]) }
        }
    }

    /// Returns which field of the item a field of the form is. Nil if it is none, as a part's name.
    private func itemName(of name: String, _ entries: Entries) -> String? {
        for group in kind.groups {
            if name == group.name { return nil }
            for place in 0..<count(of: group) {
                let new = group.newKey(place)
                if name == new { return nil }
                guard name.hasPrefix("\(new).") else { continue }
                return entries[new].nonEmpty.map { "\(group.name).\($0)" + name.dropFirst(new.count) }
            }
        }
        return name
    }

    /// Returns the field of the form at which a mistake in a field of the item is shown.
    func fieldName(of name: String, _ entries: Entries) -> String {
        let names = fields.map { ($0.name, itemName(of: $0.name, entries) ?? partName(of: $0.name, entries)) }
        let found = names.first { $0.1 == name } ?? names.first { $0.1.hasPrefix("\(name).") }
        return found?.0 ?? name
    }

    /// The part that a field names, or the field itself.
    private func partName(of name: String, _ entries: Entries) -> String {
        guard let group = kind.groups.first(where: { name.hasPrefix("\($0.name).\(ItemGroup.new)") }) else {
            return name
        }
        return "\(group.name).\(entries[name])"
    }

    /// Makes what is published: a tree of the dotted names.
    static func tree(_ fields: ItemKind.Fields) -> JSONBody {
        var body = JSONBody.object([:])
        for (name, value) in fields {
            body.set(.text(value), at: name)
        }
        return body
    }
}

extension ItemKind {
    /// Whether a field is a sentence for people, in which a comma is one.
    fileprivate func isText(_ name: String) -> Bool {
        ["text", "title", "value", "name", "tagline", "offer"].contains(
            name.split(separator: ".").last.map(String.init) ?? "") || name.contains(".values.")
    }
}
