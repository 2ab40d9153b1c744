package import Foundation
import Web

/// The file `manifest.json`: what the folder of an export holds. It is written last, so a folder without it
/// is incomplete.
package struct ExportManifest: Codable, Sendable {
    package static let name = "manifest.json"

    package struct File: Codable, Sendable {
        package let name: String
        /// How many rows the file has, without the header.
        package let rows: Int
        package let bytes: Int
        /// The command that imports only this file.
        package let command: String

        package init(_ file: ExportedFile, rows: Int, bytes: Int) {
            (name, command) = (file.name, file.command)
            (self.rows, self.bytes) = (rows, bytes)
        }
    }

    /// Kith's version.
    package let version: String
    package let exportedAt: String
    /// The command that imports everything.
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

    /// Nil if the bytes are not such a file.
    package init?(json: Data) {
        guard let manifest = try? JSONDecoder().decode(Self.self, from: json) else { return nil }
        self = manifest
    }
}
