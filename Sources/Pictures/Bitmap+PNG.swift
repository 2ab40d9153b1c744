import CPNG

/// Encoding. It returns nil if there is not enough memory.
package extension Bitmap {
    /// Returns a PNG of the colours, without alpha.
    func png() -> [UInt8]? {
        let colours = [UInt8](unsafeUninitializedCapacity: width * height * 3) { colours, count in
            for pixel in 0..<width * height {
                for channel in 0..<3 { colours[pixel * 3 + channel] = pixels[pixel * 4 + channel] }
            }
            count = width * height * 3
        }
        return Self.png(colours, width: width, height: height, format: 0x12)  // PNG_FORMAT_BGR
    }

    /// Returns a square PNG of one byte for each pixel, row by row, from black to white.
    static func png(greys: [UInt8], side: Int) -> [UInt8]? {
        png(greys, width: side, height: side, format: 0)  // PNG_FORMAT_GRAY
    }

    /// - Parameter format: the value of a macro that Swift does not import.
    private static func png(_ pixels: [UInt8], width: Int, height: Int, format: png_uint_32) -> [UInt8]? {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        (image.width, image.height) = (png_uint_32(width), png_uint_32(height))
        image.format = format
        // This takes half the time. The preview of a link has 7 KB instead of 2.
        image.flags = png_uint_32(PNG_IMAGE_FLAG_FAST)
        // This is at least the most that deflate and the chunks around it can take.
        var size = png_alloc_size_t(pixels.count * 2 + 4096)
        var bytes = [UInt8](repeating: 0, count: Int(size))
        guard png_image_write_to_memory(&image, &bytes, &size, 0, pixels, 0, nil) != 0 else { return nil }
        bytes.removeLast(bytes.count - Int(size))
        return bytes
    }
}
