import Foundation
import Logging
import Testing

@testable import Kith

/// The form of log lines.
@Suite struct LineLogHandlerTests {
    private func line(
        _ format: ServerConfig.LogFormat, _ message: String, _ metadata: Logger.Metadata = [:],
        of logger: Logger.Metadata = [:]
    ) -> String {
        var logs = LineLogHandler(logLevel: .info, label: "test", format: format)
        logs.metadata = logger
        return logs.line(
            LogEvent(
                level: .error, message: "\(message)", metadata: metadata, source: "", file: "", function: "",
                line: 0))
    }

    @Test func `JSON is one object a line with time, level, message and the metadata`() throws {
        let line = line(.json, "request failed", ["route": "/v1/me"], of: ["hb.request.id": "abc"])
        let fields = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        #expect(fields["level"] == "error")
        #expect(fields["message"] == "request failed")
        #expect(fields["route"] == "/v1/me")
        #expect(fields["requestId"] == "abc")
        #expect(fields["time"]?.hasSuffix("Z") == true)
        #expect(fields.count == 5)
    }

    @Test
    func `the metadata of a line overrides that of its logger, and neither hides the line's own fields`()
        throws
    {
        let line = line(.json, "m", ["a": "new", "level": "fake", "message": "fake"], of: ["a": "old"])
        let fields = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        #expect(fields["a"] == "new")
        #expect((fields["level"], fields["message"]) == ("error", "m"))
    }

    @Test func `text is for people`() {
        #expect(
            line(.text, "lost", ["b": "2", "a": "1"], of: ["hb.request.id": "x"])
                == "error: lost a=1 b=2 requestId=x")
    }

    @Test(arguments: [
        "two\nlines", "two\r\nlines", "a\u{1B}[2Jb", "\u{0}", "\u{202E}evil", "\u{2028}", "\u{7F}\u{9B}",
    ])
    func `nothing that a client sends breaks a log line`(text: String) throws {
        for format in [ServerConfig.LogFormat.json, .text] {
            let line = line(format, text, ["key": "\(text)"])
            #expect(!line.unicodeScalars.contains { $0.value < 0x20 })
            if format == .text { #expect(!line.contains(text)) }
        }
        let json = line(.json, text)
        let fields = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: String]
        #expect(fields?["message"] == text)
    }

    @Test func `other scripts stay readable`() {
        #expect(line(.text, "花子 joined").contains("花子"))
    }
}

/// The output of log lines, with slow readers or none.
extension LineLogHandlerTests {
    private func logger(_ output: LogOutput) -> Logger {
        Logger(label: "test") { label in
            var logs = LineLogHandler(logLevel: .info, label: label, format: .text)
            logs.output = output
            return logs
        }
    }

    @Test func `lines that nobody reads are dropped and counted, and a line says how many`() throws {
        let pipe = Pipe()
        let output = LogOutput(pipe.fileHandleForWriting.fileDescriptor, mostBytes: 10_000)
        let logger = logger(output)
        for number in 0..<20_000 { logger.info("line \(number)") }
        let dropped = output.dropped
        #expect(dropped > 0)
        Thread.detachNewThread {
            output.flush(seconds: 600)
            try? pipe.fileHandleForWriting.close()
        }
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.first == "info: line 0")
        let told = lines.compactMap {
            $0.firstMatch(of: /warning: .* dropped.* lines=(\d+)$/).flatMap { Int($0.1) }
        }
        #expect(told.reduce(0, +) == dropped)
        #expect(lines.count - told.count + dropped == 20_000)
    }

    @Test func `a line that says only that a task was cancelled is left out`() throws {
        let pipe = Pipe()
        let output = LogOutput(pipe.fileHandleForWriting.fileDescriptor)
        let logger = logger(output)
        logger.warning("old events are kept", metadata: ["error": "\(CancellationError())"])
        logger.error("Waiting on child channel: \(CancellationError())")
        logger.warning("old events are kept", metadata: ["error": "no route to host"])
        output.flush(seconds: 600)
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(text == "warning: old events are kept error=no route to host\n")
    }

    @Test func `a closed pipe, a full disk or a closed descriptor does not end the process`() throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        signal(SIGPIPE, SIG_IGN)
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        for descriptor in [pipe.fileHandleForWriting.fileDescriptor, full.fileDescriptor, -1] {
            let output = LogOutput(descriptor)
            for _ in 0..<3 { logger(output).info("line") }
            output.flush(seconds: 600)
            #expect(output.dropped == 3)
        }
    }
}
