import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Pictures

/// QR codes with the app's icon: over HTTP, by the standard, and read by an independent decoder.
@Suite(.inTurns) struct QRIconTests {
    /// Red on the left, dark on the right.
    private static let icon: Bitmap = {
        let side = 256
        var pixels = [UInt8](repeating: 255, count: side * side * 4)
        for pixel in 0..<side * side {
            pixels.replaceSubrange(
                pixel * 4..<pixel * 4 + 3, with: pixel % side < side / 2 ? [40, 40, 220] : [20, 20, 20])
        }
        return Bitmap(width: side, height: side, pixels: pixels)
    }()

    private static func appIcon() throws -> AppIcon { try AppIcon(png: #require(icon.png())) }

    private func withIcon(_ body: @Sendable @escaping (TestApp) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-icon-\(UUID()).png")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(Self.appIcon().bytes).write(to: file)
        try await TestApp.run(configure: { $0.app.icon = file.path }) { app in
            try await app.signUp("ann")
            try await body(app)
        }
    }

    @Test(arguments: ["svg", "png"]) func `the app's icon stands in the middle if asked`(format: String)
        async throws
    {
        try await withIcon { app in
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let texts = [
                ("/\(code)/qr.\(format)?", "\(TestApp.origin)/\(code)".uppercased() + "?qr=1"),
                (
                    "/users/ann/qr.\(format)?invitedBy=u-ann&",
                    "\(TestApp.origin)/users/ann?invitedBy=u-ann&qr=1"
                ),
            ]
            for (path, text) in texts {
                let drawn = { (level: QRCode.Level, logo: AppIcon?) in
                    try QRPicture(
                        link: text, format: format == "svg" ? .svg : .png, level: level, logo: logo
                    ).draw()
                }
                let answer = try await app.get("\(path)logo=app")
                #expect(answer.status == 200)
                #expect(try answer.bytes == drawn(.H, Self.appIcon()), "H without a level")
                #expect(try await app.get("\(path)logo=app&level=H").bytes == answer.bytes)
                #expect(
                    try await app.get("\(path)logo=app&level=Q").bytes == drawn(.Q, Self.appIcon()))
                #expect(try await app.get(path).bytes == drawn(.M, nil))
                #expect(try await app.get("\(path)level=H").bytes == drawn(.H, nil))
                for level in ["L", "M"] {
                    let refused = try await app.get("\(path)logo=app&level=\(level)")
                    #expect(refused.status == 400 && refused["field"] == "level")
                }
            }
        }
    }

    @Test(arguments: ["svg", "png"]) func `a client that has the picture gets 304, but not for the other`(
        format: String
    ) async throws {
        try await withIcon { app in
            let path = "/users/ann/qr.\(format)?invitedBy=u-ann&level=H"
            let (plain, logo) = (try await app.get(path), try await app.get("\(path)&logo=app"))
            #expect(logo.headers[.cacheControl] == "private, no-cache")
            #expect(logo.headers[.contentSecurityPolicy]?.contains("img-src data:") == true)
            let tag = try #require(logo.headers[.eTag])
            #expect(tag != plain.headers[.eTag])
            #expect(try await app.get("\(path)&logo=app", headers: [.ifNoneMatch: tag]).status == 304)
            #expect(try await app.get(path, headers: [.ifNoneMatch: tag]).status == 200)
        }
    }

    @Test func `both formats have the icon's colours in a light square`() throws {
        let code = try QRCode(Self.links[0], level: .H, icon: Self.appIcon())
        let square = QRCode.clearing(in: code.width)
        for row in square {
            for column in square { #expect(!code.isDark(row: row, column: column)) }
        }
        let svg = try code.svg()
        #expect(svg.utf8.count < 50_000)
        let match = try #require(
            svg.firstMatch(of: /<image x="(\d+).5" .* href="data:image\/png;base64,(.*)"/))
        #expect(Int(match.1) == square.lowerBound + 4)
        let inSVG = try #require(Data(base64Encoded: String(match.2)))
        let scale = 10
        let whole = try #require(
            Bitmap(png: code.png(side: (code.width + 8) * scale), maxPixels: 1_000_000))
        let embedded = try #require(Bitmap(png: Array(inSVG), maxPixels: 1_000_000))
        func pixel(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> [UInt8] {
            let start = (y * bitmap.width + x) * 4
            return Array(bitmap.pixels[start..<start + 4])
        }
        let (middle, module) = (whole.width / 2, square.count * scale / 4)
        for (bitmap, reach) in [(whole, module), (embedded, 32)] {
            #expect(pixel(bitmap, bitmap.width / 2 - reach, bitmap.height / 2) == [40, 40, 220, 255])
            #expect(pixel(bitmap, bitmap.width / 2 + reach, bitmap.height / 2) == [20, 20, 20, 255])
        }
        // Half a module around the icon is light.
        let edge = middle - square.count * scale / 2
        #expect(pixel(whole, edge + scale / 2 - 1, middle) == [255, 255, 255, 255])
        #expect(pixel(whole, edge + scale / 2, middle) == [40, 40, 220, 255])
    }

    /// The shortest, one with an alignment pattern in the middle, the longest that has `H`, and one of
    /// version 40 with `L`.
    private static let links = [
        "HTTPS://A.EXAMPLE/7H2K9M4PQR5T8VWX",
        "https://invite.lantern.example.io/users/hanako?invitedBy=9fQ%2Fx7%26y&code=7h2k9m4pqr5t8vwx",
        "https://a.example/users/a?invitedBy=" + String(repeating: "%E3%81%82", count: 128),
        "https://a.example/users/a?invitedBy=" + String(repeating: "%F0%9F%98%BA", count: 200),
    ]

    @Test(.enabled(if: QRDecoder.isInstalled, "needs zbarimg"), arguments: links)
    func `a camera reads the link beside the icon`(link: String) throws {
        let code = try QRCode(link, level: .H, icon: Self.appIcon())
        #expect(try QRDecoder.read(code.png(side: (code.width + 8) * 6)) == link)
        #expect(try QRDecoder.read(code.png(side: QRCode.previewSide)) == link)
        #expect(try QRDecoder.read(QRCode(link, level: .Q, icon: Self.appIcon()).png(side: 1200)) == link)
    }
}
