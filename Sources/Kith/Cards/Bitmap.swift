import CPNG

/// A decoded picture, row by row: four bytes a pixel, blue, green, red and alpha, the colours multiplied by alpha, as cairo has
/// them.
struct Bitmap: Sendable {
    let width: Int
    let height: Int
    let pixels: [UInt8]
}

extension Bitmap {
    /// Nil if it is not a PNG, or has more pixels. Looks at their number before it takes memory for them.
    init?(png bytes: [UInt8], maxPixels: Int) {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        guard png_image_begin_read_from_memory(&image, bytes, bytes.count) != 0 else { return nil }
        defer { png_image_free(&image) }
        let (width, height) = (Int(image.width), Int(image.height))
        guard width > 0, height > 0, width <= maxPixels / height else { return nil }
        image.format = 0x13  // PNG_FORMAT_BGRA, a macro that Swift does not import
        var pixels = [UInt8](repeating: 0, count: width * height * 4)
        guard png_image_finish_read(&image, nil, &pixels, 0, nil) != 0 else { return nil }
        Self.multiplyByAlpha(&pixels)
        (self.width, self.height, self.pixels) = (width, height, pixels)
    }

    private static func multiplyByAlpha(_ pixels: inout [UInt8]) {
        for start in stride(from: 0, to: pixels.count, by: 4) where pixels[start + 3] < 255 {
            let alpha = UInt32(pixels[start + 3])
            for channel in start..<start + 3 {
                pixels[channel] = UInt8((UInt32(pixels[channel]) * alpha + 127) / 255)
            }
        }
    }
}
