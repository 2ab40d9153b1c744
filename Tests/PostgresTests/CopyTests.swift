import Foundation
import Postgres
import TestSupport
import Testing

/// COPY FROM STDIN on a session, against a real server.
@Suite(.inTurns) struct CopyTests {
    private struct Broken: Error {}

    private func withTable(_ body: (Database) async throws -> Void) async throws {
        try await Server.withDatabase { (database) async throws in
            try await database.write.run("CREATE TABLE words (id int8, word text)")
            try await body(database)
        }
    }

    private func words(_ database: Database) async throws -> Int {
        try await database.read.first("SELECT count(*) FROM words") { try $0.next() } ?? -1
    }

    private static let copy = "COPY words (id, word) FROM STDIN (FORMAT csv)"

    /// Gives `count` lines in chunks of `size` bytes.
    private final class Lines {
        private var rest: ArraySlice<UInt8>
        private let size: Int

        init(_ count: Int, chunks size: Int) {
            let text = (1...count).map { "\($0),\"word, no. \($0) – 語\"\n" }.joined()
            rest = Array(text.utf8)[...]
            self.size = size
        }

        func next() -> [UInt8]? {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(size) }
            return Array(rest.prefix(size))
        }
    }

    @Test(arguments: [
        (rows: 200, chunk: 1), (rows: 20_000, chunk: 7919), (rows: 300_000, chunk: 1 << 20),
    ])
    func `chunks that end anywhere arrive whole`(rows: Int, chunk: Int) async throws {
        try await withTable { (database) async throws in
            let lines = Lines(rows, chunks: chunk)
            let copied = try await database.withConnection { (session) async throws in
                try await session.copy(Self.copy) { lines.next() }
            }
            #expect(copied == rows)
            let sound = try await database.walks.first(
                "SELECT count(*) FROM words WHERE word = 'word, no. ' || id || ' – 語'"
            ) { try $0.next(as: Int.self) }
            #expect(sound == rows)
        }
    }

    @Test func `a COPY without data copies nothing, and the session still works`() async throws {
        try await withTable { (database) async throws in
            try await database.withConnection { (session) async throws in
                #expect(try await session.copy(Self.copy) { nil } == 0)
                #expect(try await session.run("SELECT 1") == 1)
                #expect(try await session.copy(Self.copy) { nil } == 0)
            }
        }
    }

    @Test func `a bad line fails the COPY, the error names it, and the session still works`() async throws {
        try await withTable { (database) async throws in
            try await database.withConnection { (session) async throws in
                var chunks = ["1,one\n2,two\n", "x,three\n", "4,four\n"].map { Array($0.utf8) }
                let error = await failure {
                    try await session.copy(Self.copy) { chunks.isEmpty ? nil : chunks.removeFirst() }
                }
                guard case .server(let refusal) = error else { return unexpected(error) }
                #expect(refusal.sqlState == "22P02")
                #expect(refusal.context?.contains("words, line 3, column id") == true)
                #expect(!"\(PostgresError.server(refusal))".contains("x"), "no value in what may be shown")
                #expect(try await words(database) == 0)
                #expect(try await session.run("INSERT INTO words VALUES (1, 'one')") == 1)
            }
        }
    }

    @Test func `a bad line before many megabytes does not hang`() async throws {
        try await withTable { (database) async throws in
            let lines = Lines(300_000, chunks: 65_536)
            var isFirst = true
            let error = await failure {
                try await database.withConnection { (session) async throws in
                    try await session.copy(Self.copy) {
                        defer { isFirst = false }
                        return isFirst ? Array("bad\n".utf8) : lines.next()
                    }
                }
            }
            #expect(error?.sqlState == "22P02")
            #expect(try await words(database) == 0)
        }
    }

    @Test func `a sender that throws leaves nothing, and its error is rethrown`() async throws {
        try await withTable { (database) async throws in
            try await database.withConnection { (session) async throws in
                let lines = Lines(1000, chunks: 100)
                await #expect(throws: Broken.self) {
                    try await session.copy(Self.copy) {
                        guard let chunk = lines.next() else { throw Broken() }
                        return chunk
                    }
                }
                #expect(try await words(database) == 0)
                #expect(try await session.run("SELECT 1") == 1)
            }
        }
    }

    @Test func `a statement that is not a COPY takes no data`() async throws {
        try await withTable { (database) async throws in
            try await database.withConnection { (session) async throws in
                #expect(try await session.copy("SELECT 1") { Array("1,one\n".utf8) } == 1)
                let error = await failure { try await session.copy("COPY nothing FROM STDIN") { nil } }
                #expect(error?.sqlState == "42P01")
                #expect(try await session.run("SELECT 1") == 1)
            }
        }
    }

    @Test func `a COPY TO STDOUT, or FROM STDIN by a script, ends the session with an error`() async throws {
        try await withTable { (database) async throws in
            for sql in ["COPY words TO STDOUT", "COPY words FROM STDIN"] {
                let error = await failure {
                    try await database.withConnection { try await $0.script(sql) }
                }
                guard case .connectionLost = error else { return unexpected(error) }
            }
        }
    }

    @Test func `a COPY cancelled in the middle leaves nothing, even if the sender then ends the data`()
        async throws
    {
        try await withTable { (database) async throws in
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let (never, _) = AsyncStream.makeStream(of: [UInt8].self)
            let task = Task {
                try await database.withConnection { (session) async throws in
                    let lines = Lines(1000, chunks: 1000)
                    return try await session.copy(Self.copy) {
                        if let chunk = lines.next() { return chunk }
                        start.finish()
                        // Returns nil when the task is cancelled.
                        for await chunk in never { return chunk }
                        return nil
                    }
                }
            }
            for await _ in started {}
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            #expect(try await words(database) == 0)
        }
    }

    @Test func `a connection killed in the middle is an error and leaves nothing`() async throws {
        try await withTable { (database) async throws in
            let error = await failure {
                try await database.withConnection { (session) async throws in
                    let process = try await session.first("SELECT pg_backend_pid()") {
                        try $0.next(as: Int32.self)
                    }
                    let lines = Lines(100_000, chunks: 10_000)
                    var sent = 0
                    return try await session.copy(Self.copy) {
                        sent += 1
                        if sent == 10 {
                            try await database.write.run("SELECT pg_terminate_backend(\(process))")
                        }
                        return sent < 10_000 ? lines.next() ?? Array("1,more\n".utf8) : nil
                    }
                }
            }
            guard case .connectionLost = error else { return unexpected(error) }
            #expect(try await words(database) == 0)
        }
    }

    @Test func `a COPY in a transaction is rolled back if the body throws, and else commits`() async throws {
        try await withTable { (database) async throws in
            try await database.withConnection { (session) async throws in
                await #expect(throws: Broken.self) {
                    try await session.transaction { session in
                        let lines = Lines(1000, chunks: 1000)
                        #expect(try await session.copy(Self.copy) { lines.next() } == 1000)
                        #expect(try await session.run("SELECT * FROM words") == 1000)
                        throw Broken()
                    }
                }
                #expect(try await words(database) == 0)
                let lines = Lines(1000, chunks: 1000)
                let copied = try await session.transaction { session in
                    try await session.copy(Self.copy) { lines.next() }
                }
                #expect(copied == 1000)
                #expect(try await words(database) == 1000)
            }
        }
    }

    @Test func `a refused COPY that the body swallows still fails the transaction`() async throws {
        try await withTable { (database) async throws in
            let error = await failure {
                try await database.withConnection { (session) async throws in
                    try await session.transaction { session in
                        try await session.run("INSERT INTO words VALUES (1, 'one')")
                        var chunks = [Array("bad\n".utf8)]
                        _ = try? await session.copy(Self.copy) { chunks.popLast() }
                    }
                }
            }
            guard case .rolledBack = error else { return unexpected(error) }
            #expect(try await words(database) == 0)
        }
    }
}
