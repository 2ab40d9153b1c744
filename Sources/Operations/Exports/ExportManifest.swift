package import Foundation
import Web

/// `manifest.json`: what the folder of an export holds. It is written last, so a folder without it is not whole.
package struct ExportManifest: Codable, Sendable {
    package static let name = "manifest.json"

    package struct File: Codable, Sendable {
        package let name: String
        /// Without the header.
        package let rows: Int
        package let bytes: Int
        /// What imports it alone.
        package let command: String

        package init(_ file: ExportedFile, rows: Int, bytes: Int) {
            (name, command) = (file.name, file.command)
            (self.rows, self.bytes) = (rows, bytes)
        }
    }

    /// Of Kith.
    package let version: String
    package let exportedAt: String
    /// What imports all of it.
    package let command: String
    package let files: [File]

    package init(_ files: [File], version: String, at time: Date) {
        self.version = version
        exportedAt = JSON.timestamp(time)
        command = "kith import all FOLDER"
        self.files = files
    }

    package var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self) + Data("\n".utf8)
        }
    }

    /// Nil if the bytes are no such file.
    package init?(json: Data) {
        guard let manifest = try? JSONDecoder().decode(Self.self, from: json) else { return nil }
        self = manifest
    }
}
