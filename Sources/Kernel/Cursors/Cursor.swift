import Crypto
package import Foundation
package import Hummingbird
import Web

/// The beginning of the next page of a list, as the values by which the list is sorted. It works even if the
/// row is gone.
package struct Cursor: Equatable, Sendable {
    package var parts: [String]

    package init(parts: [String]) {
        self.parts = parts
    }
}

/// Cursors of the most common order: by time, then by id.
package extension Cursor {
    init(at: Date, id: String) {
        parts = [String(at.microsecondsSince1970), id]
    }

    init(at: Date, id: UUID) {
        self.init(at: at, id: id.uuidString)
    }

    var at: Date { Date(microsecondsSince1970: Int64(parts[0]) ?? 0) }
    var key: String { parts[1] }
    var id: UUID? { UUID(uuidString: key) }
}

/// Writes and reads cursors. They are versioned, and encrypted and authenticated for one list of one user.
/// They reveal nothing, and a list accepts only its own.
package struct Cursors: Sendable {
    /// One list of one user. Its name includes the filters.
    package struct List: Sendable {
        package var name: String
        package var owner: UUID

        /// - Parameter owner: the id of the user. `zero` for a list that belongs to no user.
        package init(name: String, owner: UUID = .zero) {
            self.name = name
            self.owner = owner
        }
    }

    private static let version: UInt8 = 3

    package let keys: CursorKeyStore

    package init(keys: CursorKeyStore) {
        self.keys = keys
    }

    /// Returns the page of a list that a request selects with `after` and `limit`.
    package func page(_ request: Request, of list: List, most: Int = Query.maxLimit) async throws -> (
        after: Cursor?, limit: Int
    ) {
        (try await read(request.query.value("after"), list), try request.query.limit(most: most))
    }

    /// Returns the cursor of such a text. Nil if there is none.
    func read(_ text: String?, _ list: List) async throws -> Cursor? {
        guard let text else { return nil }
        let key = try await keys.key(of: list.owner)
        guard let bytes = Base64URL.decode(Array(text.utf8)[...]), bytes.first == Self.version,
            let box = try? AES.GCM.SealedBox(combined: bytes.dropFirst()),
            let plain = try? AES.GCM.open(box, using: key, authenticating: Self.place(list)),
            let cursor = Cursor(bytes: Array(plain))
        else { throw Self.refused }
        return cursor
    }

    private static let refused = Problem.invalid("after", "is not a cursor of this list")

    package func text(_ cursor: Cursor?, _ list: List) async throws -> String? {
        guard let cursor else { return nil }
        let key = try await keys.key(of: list.owner)
        let box = try AES.GCM.seal(cursor.bytes, using: key, authenticating: Self.place(list))
        // This is nonce, ciphertext and tag. It is nil only for a nonce of unusual length.
        guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return Base64URL.encode([Self.version] + combined)
    }

    /// Returns the authenticated data of a cursor: the version and the list, unambiguously encoded.
    private static func place(_ list: List) -> [UInt8] {
        [version] + LengthPrefixed.write([Array(list.name.utf8), list.owner.bytes])
    }
}

extension Cursor {
    fileprivate var bytes: [UInt8] { LengthPrefixed.write(parts.map { Array($0.utf8) }) }

    /// Nil if `bytes` could not have written them.
    fileprivate init?(bytes: [UInt8]) {
        guard let parts = LengthPrefixed.read(bytes) else { return nil }
        self.init(parts: parts.map { String(decoding: $0, as: UTF8.self) })
    }
}

/// One page of a list, and the cursor of the next.
package struct ListPage<Item: Sendable>: Sendable {
    package var items: [Item]
    package var next: Cursor?

    private init(items: [Item], next: Cursor?) {
        (self.items, self.next) = (items, next)
    }

    /// - Parameter rows: up to one row more than the page holds, each with the values by which the list is
    ///   sorted.
    package init(_ rows: [(at: Date, id: UUID, item: Item)], limit: Int) {
        items = rows.prefix(limit).map(\.item)
        next = rows.count > limit ? Cursor(at: rows[limit - 1].at, id: rows[limit - 1].id) : nil
    }

    /// - Parameter rows: up to one row more than the page holds, each with its cursor.
    package init(_ rows: [(cursor: Cursor, item: Item)], limit: Int) {
        items = rows.prefix(limit).map(\.item)
        next = rows.count > limit ? rows[limit - 1].cursor : nil
    }

    /// Returns the same page with other items. Items for which `other` returns nil are left out.
    package func map<Other>(_ other: (Item) -> Other?) -> ListPage<Other> {
        ListPage<Other>(items: items.compactMap(other), next: next)
    }

    /// Returns a page of a list with hidden rows. `read` returns up to a number of rows after a cursor;
    /// hidden ones have no item. It reads until the page is full or the list ends, so that neither the length
    /// of a page nor its cursor reveals hidden rows.
    package static func hiding(
        after cursor: Cursor?, limit: Int,
        _ read: (Cursor?, Int) async throws -> [(cursor: Cursor, item: Item?)]
    ) async throws -> ListPage {
        var (shown, position, size) = ([(cursor: Cursor, item: Item)](), cursor, limit + 1)
        while shown.count <= limit {
            let rows = try await read(position, size)
            shown += rows.compactMap { row in row.item.map { (row.cursor, $0) } }
            guard rows.count == size else { break }
            (position, size) = (rows.last?.cursor, 1000)
        }
        return ListPage(shown, limit: limit)
    }
}

package extension Date {
    init(microsecondsSince1970 micros: Int64) {
        self.init(timeIntervalSince1970: Double(micros) / 1_000_000)
    }

    var microsecondsSince1970: Int64 { Int64((timeIntervalSince1970 * 1_000_000).rounded()) }
}
