import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Pictures

/// The app's icon: what is accepted, and how it is served.
@Suite(.inTurns) struct AppIconTests {
    private static func png(side: Int) throws -> [UInt8] { try QRCode("icon").png(side: side) }

    @Test(arguments: [180, 512, 2048]) func `a square PNG is an icon`(side: Int) throws {
        let icon = try AppIcon(png: Self.png(side: side))
        #expect(icon.width == side)
        #expect(try icon.tag == AppIcon(png: Self.png(side: side)).tag)
    }

    @Test func `what is not a square PNG of the right size is refused`() throws {
        #expect(throws: AppIconError.size(width: 179, height: 179)) {
            try AppIcon(png: Self.png(side: 179))
        }
        for bytes in [[], [0x89], Array("<svg/>".utf8), Array(try Self.png(side: 200).dropLast(900))] {
            #expect(throws: AppIconError.unreadable) { try AppIcon(png: bytes) }
        }
        #expect(throws: AppIconError.size(width: 2049, height: 2049), "no memory is taken for more pixels") {
            try AppIcon(png: Self.png(side: 2049))
        }
        #expect(throws: AppIconError.tooLarge) {
            try AppIcon(png: [UInt8](repeating: 0, count: AppIcon.mostBytes + 1))
        }
    }

    @Test func `it is served with a tag, and may be kept for a day`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-icon-\(UUID()).png")
        defer { try? FileManager.default.removeItem(at: file) }
        let bytes = try Self.png(side: 256)
        try Data(bytes).write(to: file)
        try await TestApp.run(configure: { $0.app.icon = file.path }) { app in
            let answer = try await app.get("/icon.png")
            #expect(answer.status == 200 && answer.bytes == bytes)
            #expect(answer.headers[.contentType] == "image/png")
            #expect(answer.headers[.cacheControl] == "public, max-age=86400")
            let tag = try #require(answer.headers[.eTag])
            let again = try await app.get("/icon.png", headers: [.ifNoneMatch: tag])
            #expect(again.status == 304 && again.bytes.isEmpty)
        }
    }

    @Test func `without one, there is a page for what is not found`() async throws {
        try await TestApp.run { app in
            let answer = try await app.get("/icon.png")
            #expect(answer.status == 404)
            #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
        }
    }
}
