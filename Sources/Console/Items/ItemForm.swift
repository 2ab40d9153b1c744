import Web

/// The form of an item, and what becomes of its entries.
struct ItemForm: Sendable {
    let kind: ItemKind
    let words: Words
    /// The item as it is. Nil if it is new.
    let item: ItemKind.Fields?

    /// The fields with their values. A new item's first one is its name.
    var fields: [Field] {
        let name = Field("key", words["items.key"], hint: words["items.keyHint"], isNeeded: true)
        let own = kind.fields(words).map { filled($0, $0.name) }
        return (item == nil ? [name] : []) + own + kind.groups.flatMap(fields(of:))
    }

    private func fields(of group: ItemGroup) -> [Field] {
        let parts = group.keys(item ?? [:]).flatMap { key in
            group.fields(words).map { field in
                var field = filled(field, "\(group.name).\(key).\(field.name)")
                field.group = words("items.\(kind.section).\(group.name)", ["name": key])
                return field
            }
        }
        guard group.grows else { return parts }
        var name = Field(group.newKey, words["items.newKey"])
        name.group = words["items.\(kind.section).\(group.name).new"]
        let rest = group.fields(words).map { field in
            var field = filled(field, "\(group.newKey).\(field.name)")
            field.group = name.group
            field.isNeeded = false
            return field
        }
        return parts + [name] + rest
    }

    private func filled(_ field: Field, _ name: String) -> Field {
        var field = field.named(name)
        field.value = item?[name] ?? field.value
        return field
    }

    /// The item's fields as they are to be: those that the form shows as entered, the others as they were.
    func changed(by entries: Entries) -> ItemKind.Fields {
        var result = item ?? [:]
        for field in fields where field.name != "key" {
            var name = field.name
            for group in kind.groups where name == group.newKey || name.hasPrefix("\(group.newKey).") {
                let key = entries[group.newKey]
                name =
                    name == group.newKey || key.isEmpty
                    ? "" : "\(group.name).\(key)" + name.dropFirst(group.newKey.count)
            }
            guard !name.isEmpty else { continue }
            let entry = entries[field.name].replacing("、", with: ",").replacing(", ", with: ",")
            result[name] = entry.isEmpty ? nil : kind.isText(name) ? entries[field.name] : entry
        }
        return result
    }

    /// Makes what is published: a tree of the dotted names.
    static func tree(_ fields: ItemKind.Fields) -> JSONBody {
        var body = JSONBody.object([:])
        for (name, value) in fields {
            body.set(.text(value), at: name.split(separator: ".").map(String.init))
        }
        return body
    }
}

extension ItemKind {
    /// Whether a field is a sentence for people, in which a comma is one.
    fileprivate func isText(_ name: String) -> Bool {
        ["text", "title", "value", "name", "tagline", "offer"].contains(
            name.split(separator: ".").last.map(String.init) ?? "")
    }
}
