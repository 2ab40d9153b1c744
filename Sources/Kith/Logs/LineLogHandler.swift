import Foundation
package import Logging
import Web

/// Writes log lines to standard error: one JSON object on each line, or text for people.
package struct LineLogHandler: LogHandler {
    package var logLevel: Logger.Level
    /// The request's id. It is kept apart from the others, since each request sets it: a dictionary of its
    /// own would cost each one an allocation.
    private var requestID: Logger.Metadata.Value?
    private var others: Logger.Metadata = [:]
    let label: String
    let format: ServerConfig.LogFormat
    var output: LogOutput

    package static func logger(_ config: ServerConfig) -> Logger {
        Logger(label: "kith") {
            LineLogHandler(logLevel: config.logLevel, label: $0, format: config.logFormat)
        }
    }

    init(
        logLevel: Logger.Level, label: String, format: ServerConfig.LogFormat,
        output: LogOutput = .standardError
    ) {
        (self.logLevel, self.label, self.format, self.output) = (logLevel, label, format, output)
    }

    package var metadata: Logger.Metadata {
        get {
            var metadata = others
            metadata[Self.requestIDKey] = requestID
            return metadata
        }
        set {
            others = newValue
            requestID = others.removeValue(forKey: Self.requestIDKey)
        }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { key == Self.requestIDKey ? requestID : others[key] }
        set {
            if key == Self.requestIDKey { requestID = newValue } else { others[key] = newValue }
        }
    }

    /// The key that Hummingbird uses.
    private static let requestIDKey = "hb.request.id"

    package func log(event: LogEvent) {
        guard !Self.isOfCancellation(event) else { return }
        output.write(line(event) + "\n") { dropped in
            let message: Logger.Message = "log lines were dropped because they could not be written in time"
            let event = LogEvent(
                level: .warning, message: message, metadata: ["lines": "\(dropped)"], source: "", file: "",
                function: "", line: 0)
            return LineLogHandler(logLevel: logLevel, label: label, format: format).line(event) + "\n"
        }
    }

    /// Whether the event says only that a task was cancelled, as all are when the process ends. That is no
    /// trouble, and would hide the line that says why it ends. Libraries log such events too, with the error
    /// at the end of the message.
    private static func isOfCancellation(_ event: LogEvent) -> Bool {
        if case .string(cancellation) = event.metadata?["error"] { return true }
        return event.message.description.hasSuffix(": \(cancellation)")
    }

    private static let cancellation = "\(CancellationError())"

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
        // A client may have sent characters that steer a terminal.
        return "\(event.level.rawValue): \(event.message)\(extra)".visible
    }

    private static func name(_ key: String) -> String {
        key == requestIDKey ? "requestId" : key
    }
}
