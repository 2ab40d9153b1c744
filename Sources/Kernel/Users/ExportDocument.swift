import Foundation
import Web

/// The JSON of a user's export: one object, to which each `UserDataStore` adds members. It is sent in parts.
package struct ExportDocument {
    private let reader: ExportReader
    private let send: ([UInt8]) async throws -> Void
    private var unsent: [UInt8] = []
    private var isFirst = true

    /// Writes a whole document.
    package static func write(
        _ reader: ExportReader, to send: @escaping ([UInt8]) async throws -> Void,
        members: (inout ExportDocument) async throws -> Void
    ) async throws {
        var document = ExportDocument(reader: reader, send: send)
        try await document.object(members)
        try await document.flush()
    }

    var user: User.ID { reader.user }

    /// Adds the members of a value that JSON shows as an object.
    package mutating func add(_ members: some Encodable) throws {
        let json = try JSON.data(members).dropFirst().dropLast()
        guard !json.isEmpty else { return }
        separate()
        unsent += json
    }

    /// Reads a value and adds its members. Nil adds none.
    package mutating func add<Members: Encodable & Sendable>(
        _ read: (ExportReader) async throws -> Members?
    ) async throws {
        if let members = try await read(reader) { try add(members) }
    }

    /// Adds a member that is an object.
    package mutating func object(
        _ name: String, _ members: (inout ExportDocument) async throws -> Void
    ) async throws {
        begin(name)
        try await object(members)
    }

    /// Adds a member that is an array, and sends each part of it as soon as it is read.
    /// - Parameter more: adds further members to an item's own.
    package mutating func list<Item: Encodable & Sendable>(
        _ name: String, _ read: (ExportReader, Cursor?) async throws -> ExportReader.Part<Item>,
        more: (Item, inout ExportDocument) async throws -> Void = { _, _ in }
    ) async throws {
        begin(name)
        try await within("[", "]") { document in
            var cursor: Cursor?
            repeat {
                let part = try await read(document.reader, cursor)
                for item in part.items {
                    document.separate()
                    try await document.object { document in
                        try document.add(item)
                        try await more(item, &document)
                    }
                }
                try await document.flush()
                cursor = part.next
            } while cursor != nil
        }
    }

    private mutating func object(_ members: (inout ExportDocument) async throws -> Void) async throws {
        try await within("{", "}", members)
    }

    private mutating func within(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ write: (inout ExportDocument) async throws -> Void
    ) async throws {
        unsent.append(UInt8(ascii: open))
        isFirst = true
        try await write(&self)
        unsent.append(UInt8(ascii: close))
        isFirst = false
    }

    private mutating func begin(_ name: String) {
        separate()
        unsent += "\"\(name)\":".utf8
    }

    private mutating func separate() {
        if !isFirst { unsent.append(UInt8(ascii: ",")) }
        isFirst = false
    }

    private mutating func flush() async throws {
        try await send(unsent)
        unsent.removeAll(keepingCapacity: true)
    }
}
