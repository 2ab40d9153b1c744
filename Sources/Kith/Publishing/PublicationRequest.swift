import HTTPTypes
import Hummingbird
import Kernel
import Web

/// A body of a call that publishes.
struct PublicationRequest {
    /// A table of sections. Nil if the call has none.
    let changes: JSONTree?
    /// Nil only for a dry run.
    let reason: OperatorReason?
    /// The items whose dangers the operator accepts.
    let forced: Set<ItemName>
    /// Whether the call only says what it would do.
    let isDryRun: Bool

    /// Reads a body. Throws a 400 that names the wrong field.
    /// - Parameter more: a further field that the call has.
    init(_ tree: JSONTree, _ more: String? = nil) throws(Problem) {
        let names = ["reason", "force", "dryRun"] + [more].compactMap(\.self)
        for member in tree.members ?? [] where !names.contains(member.key) {
            throw .invalid(String(member.key.prefix(128)), "is not a field of this call")
        }
        changes = tree["changes"]
        if more == "changes", changes?.members?.isEmpty != false {
            throw .invalid("changes", "must be a table of sections that change")
        }
        forced = try Self.items(tree["force"])
        if let answer = tree["dryRun"], answer.bool == nil {
            throw .invalid("dryRun", "must be true or false")
        }
        isDryRun = tree["dryRun"]?.bool ?? false
        let needsNoReason = isDryRun && tree["reason"] == nil
        reason = needsNoReason ? nil : try .requested(tree["reason"]?.text ?? "")
    }

    private static func items(_ tree: JSONTree?) throws(Problem) -> Set<ItemName> {
        guard let tree else { return [] }
        let names = tree.elements?.map { $0.text.flatMap(ItemName.init) }
        guard let names, !names.contains(nil) else {
            throw .invalid("force", "must be a list of items, such as policies.minimum")
        }
        return Set(names.compactMap(\.self))
    }
}

extension Request {
    /// The revision in `If-Match`, such as `"12"`. Throws a 428 without one, so that nobody overwrites what
    /// they did not see.
    /// - Parameter place: where callers find it.
    func expectedRevision(
        _ place: String =
            "the revision that you saw in the header If-Match, as `GET /v1/admin/config` gives it in ETag"
    ) throws -> Int64 {
        guard let text = try header(.ifMatch) else {
            throw Problem(
                .preconditionRequired, "revision_needed",
                "Send \(place)."
            )
        }
        let digits = text.dropFirst().dropLast()
        guard text.hasPrefix("\""), text.hasSuffix("\""), let number = Int64(revision: digits) else {
            throw Problem.invalid("If-Match", "must be a revision in quotes, such as \"12\"")
        }
        return number
    }
}

extension Int64 {
    /// Reads a revision, or a version of a draft. Nil unless it has 1 to 18 digits, so that there is always a
    /// next one.
    init?(revision digits: some StringProtocol) {
        guard (1...18).contains(digits.utf8.count), digits.utf8.allSatisfy(ASCIISet.digits.contains) else {
            return nil
        }
        self.init(digits)
    }
}
