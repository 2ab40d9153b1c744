import HTTPTypes
import Hummingbird

/// `/v1/me/export`.
struct ExportRoutes {
    let exports: ExportStore

    /// `GET /v1/me/export` returns one document with all of the caller's data. It sends each part as soon as it has read it;
    /// if reading fails, it cuts the connection.
    @Sendable func export(_ request: Request, context: AccountContext) async throws -> Response {
        let user = context.user.id
        guard let export = try await exports.export(user) else { throw Problem.userNotFound }
        let start = try JSON.data(export)
        return Response(
            status: .ok,
            headers: [
                .contentType: JSON.mediaType, .cacheControl: "no-store",
                .contentDisposition: #"attachment; filename="kith-export.json""#,
            ],
            body: ResponseBody { writer in
                var document = ExportDocument(writer: writer)
                try await document.write(start, of: user, from: exports)
                try await writer.finish(nil)
            })
    }
}

/// The JSON of an export, written in parts.
private struct ExportDocument {
    var writer: any ResponseBodyWriter

    /// - Parameter start: the JSON of an `Export`, to which the lists are added.
    mutating func write(_ start: [UInt8], of user: User.ID, from exports: ExportStore) async throws {
        try await send(start.dropLast())
        try await list("usernames") { try await exports.usernames(of: user, after: $0) }
        try await list("invitees") { try await exports.invitees(of: user, after: $0) }
        try await links(of: user, from: exports)
        try await list("usedLinks") { try await exports.usedLinks(of: user, after: $0) }
        try await list("friends") { try await exports.friends(of: user, after: $0) }
        try await send(#","requests":{"#.utf8)
        try await list("incoming", isFirst: true) { try await exports.incoming(to: user, after: $0) }
        try await list("outgoing") { try await exports.outgoing(from: user, after: $0) }
        try await send("}".utf8)
        try await list("blocks") { try await exports.blocks(of: user, after: $0) }
        try await list("declined") { try await exports.declined(by: user, after: $0) }
        try await list("dismissed") { try await exports.dismissed(by: user, after: $0) }
        try await list("offers") { try await exports.offers(of: user, after: $0) }
        try await list("purchases") { try await exports.purchases(of: user, after: $0) }
        try await list("experiments") { try await exports.exposures(of: user, after: $0) }
        try await list("rewards") { try await exports.rewards(of: user, after: $0) }
        try await list("rewardLedger") { try await exports.rewardLedger(of: user, after: $0) }
        try await list("referrals") { try await exports.referrals(of: user, after: $0) }
        try await list("rewardActions") { try await exports.rewardActions(of: user, after: $0) }
        try await list("rewardSignals") { try await exports.rewardSignals(of: user, after: $0) }
        try await send("}".utf8)
    }

    private mutating func send(_ bytes: some Sequence<UInt8> & Sendable) async throws {
        try await writer.write(ByteBuffer(bytes: bytes))
    }

    /// Sends a member with an array, in parts.
    private mutating func list<Item: Encodable & Sendable>(
        _ name: String, isFirst: Bool = false, _ read: (Cursor?) async throws -> ExportStore.Part<Item>
    ) async throws {
        try await send("\(isFirst ? "" : ",")\"\(name)\":[".utf8)
        var (cursor, isEmpty): (Cursor?, Bool) = (nil, true)
        repeat {
            let part = try await read(cursor)
            var bytes: [UInt8] = []
            for item in part.items {
                if !isEmpty { bytes.append(UInt8(ascii: ",")) }
                bytes += try JSON.data(item)
                isEmpty = false
            }
            try await send(bytes)
            cursor = part.next
        } while cursor != nil
        try await send("]".utf8)
    }

    /// Sends links, each with the users who joined by it.
    private mutating func links(of user: User.ID, from exports: ExportStore) async throws {
        try await send(#","invites":["#.utf8)
        var (cursor, isEmpty): (Cursor?, Bool) = (nil, true)
        repeat {
            let part = try await exports.links(of: user, after: cursor)
            for link in part.items {
                try await send((isEmpty ? [] : [UInt8(ascii: ",")]) + JSON.data(link).dropLast())
                isEmpty = false
                if link.uses > 0 {
                    try await list("joined") { try await exports.joined(by: link.code, of: user, after: $0) }
                } else {
                    try await send(#","joined":[]"#.utf8)
                }
                try await send("}".utf8)
            }
            cursor = part.next
        } while cursor != nil
        try await send("]".utf8)
    }
}
