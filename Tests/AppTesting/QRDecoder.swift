import EmbeddedPostgres
import Foundation

/// `zbarimg` of the zbar project.
enum QRDecoder {
    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/zbarimg")

    static func read(_ png: [UInt8]) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID()).png")
        try Data(png).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/zbarimg")
        process.arguments = ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file.path]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        try output.fileHandleForReading.close()
        process.waitForExit()
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}
