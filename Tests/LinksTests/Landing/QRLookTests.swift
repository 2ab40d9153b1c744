import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Links
@testable import Pictures

/// The colour and the width of QR pictures.
@Suite(.inTurns) struct QRLookTests {
    private static let path = "/users/ann/qr"
    private static let query = "?invitedBy=u-ann&color=5b54d6&size=300"

    @Test func `a picture has the colour and the width that the query names`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let svg = try await app.get("\(Self.path).svg\(Self.query)")
            #expect(
                svg.text.contains("fill=\"#5b54d6\"") && svg.text.contains("width=\"300\" height=\"300\""))
            let plain = try await app.get("\(Self.path).svg?invitedBy=u-ann")
            #expect(plain.text.contains("fill=\"#000\"") && !plain.text.contains("width="))
            #expect(svg.headers[.eTag] != plain.headers[.eTag])
            let png = try await app.get("\(Self.path).png\(Self.query)")
            #expect(Bitmap.size(png: png.bytes).map { [$0.width, $0.height] } == [300, 300])
            let pixels = try #require(Bitmap(png: png.bytes, maxPixels: 100_000)).pixels
            let inks = Set(stride(from: 0, to: pixels.count, by: 4).map { Array(pixels[$0..<$0 + 3]) })
            #expect(inks == [[0xD6, 0x54, 0x5B], [255, 255, 255]])
        }
    }

    @Test(.enabled(if: QRDecoder.isInstalled)) func `a camera reads the lightest colours that are allowed`()
        throws
    {
        for ink: UInt32 in [0x767676, 0x5B54D6, 0xD00000, 0x007A3D, 0x0000FF] {
            #expect(
                try QRDecoder.read(QRCode("https://join.example.com/a").png(side: 400, in: ink))
                    == "https://join.example.com/a", "\(ink)")
        }
    }

    @Test func `a colour that is too light, and a width that is none, are refused with the field`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for (query, field) in [
                ("color=777777", "color"), ("color=ffff00", "color"), ("color=red", "color"),
                ("color=", "color"), ("size=63", "size"), ("size=1025", "size"), ("size=x", "size"),
            ] {
                for format in ["svg", "png"] {
                    let answer = try await app.get("\(Self.path).\(format)?invitedBy=u-ann&\(query)")
                    #expect((answer.status, answer["field"]) == (400, field), "\(query): \(answer.text)")
                }
            }
            let dark = try await app.get("\(Self.path).svg?invitedBy=u-ann&color=%23767676&size=64")
            #expect(dark.status == 200, "\(dark.text)")
        }
    }
}
