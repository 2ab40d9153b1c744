import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import Kernel
@testable import Web

/// The limit of large bodies under way.
@Suite struct LargeBodyTests {
    private struct Nothing: Decodable {}

    private func request(_ body: Hummingbird.RequestBody) -> Request {
        let head = HTTPRequest(
            method: .post, scheme: "http", authority: "x", path: "/",
            headerFields: [.contentType: "application/json"])
        return Request(head: head, body: body)
    }

    private func decode(_ request: Request, _ room: LargeBodies) async throws -> Nothing {
        let source = ApplicationRequestContextSource(
            channel: EmbeddedChannel(), logger: Logger(label: "test"))
        return try await JSONCoder(room: room).decode(
            Nothing.self, from: request, context: AppContext(source: source))
    }

    @Test func `large bodies in transit are limited, and small ones are not refused`()
        async throws
    {
        let room = LargeBodies(limit: 1)
        let (body, source) = Hummingbird.RequestBody.makeStream()
        let slow = request(body)
        let first = Task { try await decode(slow, room) }
        await source.yield(ByteBuffer(string: String(repeating: " ", count: 5000)))
        try await waitUntil("it has the room") { room.count == 1 }
        let large = request(.init(buffer: ByteBuffer(string: "{}" + String(repeating: " ", count: 5000))))
        let problem = await #expect(throws: Problem.self) {
            try await decode(large, room)
        }
        #expect(problem?.status == .serviceUnavailable && problem?.code == "too_many_bodies")
        let small = request(.init(buffer: ByteBuffer(string: "{}" + String(repeating: " ", count: 4000))))
        _ = try await decode(small, room)
        await source.yield(ByteBuffer(string: "{}"))
        source.finish()
        _ = try await first.value
        _ = try await decode(large, room)
    }
}
