import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import Kith

/// Bodies of which only so many may be under way.
@Suite struct LargeBodyTests {
    private struct Nothing: Decodable {}

    private func request(_ body: Hummingbird.RequestBody) -> Request {
        let head = HTTPRequest(
            method: .post, scheme: "http", authority: "x", path: "/",
            headerFields: [.contentType: "application/json"])
        return Request(head: head, body: body)
    }

    @Test func `of large bodies that are on their way there is a bound, and small ones are not refused`()
        async throws
    {
        let room = LargeBodies(limit: 1)
        let (body, source) = Hummingbird.RequestBody.makeStream()
        let slow = request(body)
        let first = Task { try await JSONCoder(room: room).decode(Nothing.self, from: slow) }
        await source.yield(ByteBuffer(string: String(repeating: " ", count: 5000)))
        try await waitUntil("it has the room") { room.count == 1 }
        let large = request(.init(buffer: ByteBuffer(string: "{}" + String(repeating: " ", count: 5000))))
        let problem = await #expect(throws: Problem.self) {
            try await JSONCoder(room: room).decode(Nothing.self, from: large)
        }
        #expect(problem?.status == .serviceUnavailable && problem?.code == "too_many_bodies")
        let small = request(.init(buffer: ByteBuffer(string: "{}" + String(repeating: " ", count: 4000))))
        _ = try await JSONCoder(room: room).decode(Nothing.self, from: small)
        await source.yield(ByteBuffer(string: "{}"))
        source.finish()
        _ = try await first.value
        _ = try await JSONCoder(room: room).decode(Nothing.self, from: large)
    }
}
