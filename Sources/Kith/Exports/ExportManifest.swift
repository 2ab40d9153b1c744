public import Foundation

/// `manifest.json`: what the folder of an export holds. It is written last, so a folder without it is not whole.
public struct ExportManifest: Codable, Sendable {
    public static let name = "manifest.json"

    public struct File: Codable, Sendable {
        public let name: String
        /// Without the header.
        public let rows: Int
        public let bytes: Int
        /// What imports it alone.
        public let command: String

        public init(_ file: ExportedFile, rows: Int, bytes: Int) {
            (name, command) = (file.name, file.command)
            (self.rows, self.bytes) = (rows, bytes)
        }
    }

    /// Of Kith.
    public let version: String
    public let exportedAt: String
    /// What imports all of it.
    public let command: String
    public let files: [File]

    public init(_ files: [File], version: String, at time: Date) {
        self.version = version
        exportedAt = JSON.timestamp(time)
        command = "kith import all FOLDER"
        self.files = files
    }

    public var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self) + Data("\n".utf8)
        }
    }

    /// Nil if the bytes are no such file.
    public init?(json: Data) {
        guard let manifest = try? JSONDecoder().decode(Self.self, from: json) else { return nil }
        self = manifest
    }
}
