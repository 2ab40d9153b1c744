import Foundation
public import Logging

/// Writes log lines to standard error: one JSON object a line, or text for people.
public struct LineLogHandler: LogHandler {
    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    let label: String
    let format: ServerConfig.LogFormat
    var output = LogOutput.standardError

    public static func logger(_ config: ServerConfig) -> Logger {
        Logger(label: "kith") {
            LineLogHandler(logLevel: config.logLevel, label: $0, format: config.logFormat)
        }
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        output.write(line(event) + "\n") { dropped in
            let message: Logger.Message = "log lines were dropped because they could not be written in time"
            let event = LogEvent(
                level: .warning, message: message, metadata: ["lines": "\(dropped)"], source: "", file: "",
                function: "", line: 0)
            return LineLogHandler(logLevel: logLevel, label: label, format: format).line(event) + "\n"
        }
    }

    func line(_ event: LogEvent) -> String {
        let all = metadata.merging(event.metadata ?? [:]) { _, own in own }
        return switch format {
        case .json: json(event, all)
        case .text: text(event, all)
        }
    }

    private func json(_ event: LogEvent, _ metadata: Logger.Metadata) -> String {
        var fields = Dictionary(
            metadata.map { (Self.name($0.key), $0.value.description) },
            uniquingKeysWith: { first, _ in first })
        fields["time"] = JSON.timestamp(Date())
        fields["level"] = event.level.rawValue
        fields["message"] = event.message.description
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(fields)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    private func text(_ event: LogEvent, _ metadata: Logger.Metadata) -> String {
        let extra = metadata.sorted { $0.key < $1.key }.map { " \(Self.name($0.key))=\($0.value)" }.joined()
        return Self.oneLine("\(event.level.rawValue): \(event.message)\(extra)")
    }

    /// Escapes line breaks and other control characters: a client may have sent them to steer a terminal.
    private static func oneLine(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalar.escaped(asASCII: true)
            default: String(scalar)
            }
        }.joined()
    }

    private static func name(_ key: String) -> String {
        key == "hb.request.id" ? "requestId" : key
    }
}
