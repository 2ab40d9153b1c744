import CPangoCairo

/// A picture that is being drawn: paths, colours and other pictures. Only one thread may use it.
final class Canvas {
    let width: Int
    let height: Int
    let surface: OpaquePointer?
    let cairo: OpaquePointer?

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height))
        cairo = cairo_create(surface)
    }

    deinit {
        cairo_destroy(cairo)
        cairo_surface_destroy(surface)
    }

    /// What has been drawn so far.
    var bitmap: Bitmap {
        cairo_surface_flush(surface)
        let row = Int(cairo_image_surface_get_stride(surface))
        var pixels = [UInt8](repeating: 255, count: width * height * 4)
        guard let drawn = cairo_image_surface_get_data(surface) else {
            return Bitmap(width: width, height: height, pixels: pixels)
        }
        for y in 0..<height {
            for byte in 0..<width * 4 where byte % 4 < 3 {
                pixels[y * width * 4 + byte] = drawn[y * row + byte]
            }
        }
        return Bitmap(width: width, height: height, pixels: pixels)
    }

    enum Paint {
        case colour(Colour, alpha: Double = 1)
        /// A gradient from the upper left corner to the lower right one of the circle around a point, as CSS
        /// draws `135deg`.
        case diagonal(CardStyle.Colours, x: Double, y: Double, radius: Double)
        /// A glow from a point outwards, which fades away.
        case glow(Colour, alpha: Double, x: Double, y: Double, radius: Double)
    }

    enum Shape {
        case all
        case circle(x: Double, y: Double, radius: Double)
        case square(x: Double, y: Double, side: Double, radius: Double)
    }

    func fill(_ shape: Shape, _ paint: Paint) {
        add(shape)
        use(paint)
        cairo_fill(cairo)
    }

    func stroke(_ shape: Shape, width: Double, _ paint: Paint) {
        add(shape)
        use(paint)
        cairo_set_line_width(cairo, width)
        cairo_stroke(cairo)
    }

    /// Shows a picture in a shape, so that it covers a rectangle.
    func fill(_ shape: Shape, _ bitmap: Bitmap, x: Double, y: Double, width: Double, height: Double) {
        let (columns, rows) = (Double(bitmap.width), Double(bitmap.height))
        let scale = max(width / columns, height / rows)
        var pixels = bitmap.pixels
        pixels.withUnsafeMutableBufferPointer { pixels in
            let picture = cairo_image_surface_create_for_data(
                pixels.baseAddress, CAIRO_FORMAT_ARGB32, Int32(bitmap.width), Int32(bitmap.height),
                Int32(bitmap.width * 4))
            cairo_save(cairo)
            add(shape)
            cairo_clip(cairo)
            cairo_translate(cairo, x + (width - columns * scale) / 2, y + (height - rows * scale) / 2)
            cairo_scale(cairo, scale, scale)
            cairo_set_source_surface(cairo, picture, 0, 0)
            cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_GOOD)
            cairo_pattern_set_extend(cairo_get_source(cairo), CAIRO_EXTEND_PAD)
            cairo_paint(cairo)
            cairo_restore(cairo)
            cairo_surface_destroy(picture)
        }
    }

    func use(_ paint: Paint) {
        switch paint {
        case .colour(let colour, let alpha):
            cairo_set_source_rgba(cairo, colour.red, colour.green, colour.blue, alpha)
        case .diagonal(let colours, let x, let y, let radius):
            let reach = radius * 0.7071
            let pattern = cairo_pattern_create_linear(x - reach, y - reach, x + reach, y + reach)
            use(pattern, [(0, colours.start, 1), (1, colours.end, 1)])
        case .glow(let colour, let alpha, let x, let y, let radius):
            let pattern = cairo_pattern_create_radial(x, y, 0, x, y, radius)
            use(pattern, [(0, colour, alpha), (1, colour, 0)])
        }
    }

    private func use(_ pattern: OpaquePointer?, _ stops: [(at: Double, colour: Colour, alpha: Double)]) {
        for (at, colour, alpha) in stops {
            cairo_pattern_add_color_stop_rgba(pattern, at, colour.red, colour.green, colour.blue, alpha)
        }
        cairo_set_source(cairo, pattern)
        cairo_pattern_destroy(pattern)
    }

    private func add(_ shape: Shape) {
        cairo_new_path(cairo)
        switch shape {
        case .all: cairo_rectangle(cairo, 0, 0, Double(width), Double(height))
        case .circle(let x, let y, let radius): cairo_arc(cairo, x, y, radius, 0, 2 * .pi)
        case .square(let x, let y, let side, let radius):
            let (near, far) = (radius, side - radius)
            // It goes clockwise from the upper right corner.
            for (corner, turn) in zip([(far, near), (far, far), (near, far), (near, near)], [3, 0, 1, 2]) {
                let start = Double(turn) * .pi / 2
                cairo_arc(cairo, x + corner.0, y + corner.1, radius, start, start + .pi / 2)
            }
            cairo_close_path(cairo)
        }
    }
}
