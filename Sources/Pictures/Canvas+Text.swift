import CPangoCairo

/// The fonts of this machine, as one thread uses them.
final class Fonts {
    private let map = pango_cairo_font_map_new()

    deinit { g_object_unref(UnsafeMutableRawPointer(map)) }

    struct Style {
        /// The size in pixels.
        var size: Double
        var isBold = false
        /// The most lines. Text that does not fit is cut, with an ellipsis.
        var lines = 1
        var width: Double
    }

    func text(_ text: String, _ style: Style, _ language: String) -> LaidOutText {
        let context = pango_font_map_create_context(map)
        let regions = ["zh-hans": "zh-cn", "zh-hant": "zh-tw"]  // the names that fonts have for them
        pango_context_set_language(context, pango_language_from_string(regions[language] ?? language))
        let layout = pango_layout_new(context)
        g_object_unref(UnsafeMutableRawPointer(context))
        let font = pango_font_description_from_string("Noto Sans, sans-serif")
        pango_font_description_set_weight(font, style.isBold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL)
        pango_font_description_set_absolute_size(font, style.size * Double(PANGO_SCALE))
        pango_layout_set_font_description(layout, font)
        pango_font_description_free(font)
        pango_layout_set_width(layout, Int32(style.width) * PANGO_SCALE)
        pango_layout_set_height(layout, -Int32(style.lines))
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
        pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
        pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER)
        let attributes = pango_attr_list_new()
        pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0))
        pango_layout_set_attributes(layout, attributes)
        pango_attr_list_unref(attributes)
        pango_layout_set_text(layout, text, -1)
        return LaidOutText(layout: layout)
    }
}

extension Fonts {
    /// Returns Debian's packages of fonts that are missing here, and without which cards leave out characters
    /// of many names.
    static func missingPackages() -> [String] {
        let fonts = Fonts()
        let samples = [
            ("fonts-noto-core", "Aбع"), ("fonts-noto-cjk", "花の한"), ("fonts-noto-color-emoji", "🦊"),
        ]
        return samples.filter { fonts.text($0.1, Style(size: 40, width: 1000), "en").unknownGlyphs > 0 }
            .map(\.0)
    }
}

/// A text in lines, ready to be drawn.
final class LaidOutText {
    fileprivate let layout: OpaquePointer?

    fileprivate init(layout: OpaquePointer?) {
        self.layout = layout
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

    /// How many characters no font can show.
    var unknownGlyphs: Int { Int(pango_layout_get_unknown_glyphs_count(layout)) }
    var lines: Int { Int(pango_layout_get_line_count(layout)) }
    var isCut: Bool { pango_layout_is_ellipsized(layout) != 0 }

    /// The height of the lines, in pixels.
    var height: Double { extent.height }

    /// Makes the lines of similar length, as long as their number stays.
    func balance() {
        let (lines, full) = (lines, pango_layout_get_width(layout))
        guard lines > 1, !isCut else { return }
        // Otherwise a narrow line would break words.
        pango_layout_set_wrap(layout, PANGO_WRAP_WORD)
        var width = full
        while width > full / 2 {
            pango_layout_set_width(layout, width - full / 24)
            guard self.lines == lines, !isCut, extent.width <= self.width else { break }
            width -= full / 24
        }
        if width == full { pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR) }
        pango_layout_set_width(layout, width)
    }

    var width: Double { Double(pango_layout_get_width(layout)) / Double(PANGO_SCALE) }

    private var extent: (width: Double, height: Double) {
        var box = PangoRectangle()
        pango_layout_get_extents(layout, nil, &box)
        return (Double(box.width) / Double(PANGO_SCALE), Double(box.height) / Double(PANGO_SCALE))
    }

    /// The area that is drawn. Marks may extend it beyond the lines.
    var ink: (x: Double, y: Double, width: Double, height: Double) {
        var box = PangoRectangle()
        pango_layout_get_extents(layout, &box, nil)
        let scale = Double(PANGO_SCALE)
        return (
            Double(box.x) / scale, Double(box.y) / scale, Double(box.width) / scale,
            Double(box.height) / scale
        )
    }
}

extension Canvas {
    /// - Parameter reach: how far marks may extend above and below the lines.
    func draw(_ text: LaidOutText, x: Double, y: Double, reach: Double, _ paint: Paint) {
        cairo_save(cairo)
        cairo_rectangle(cairo, 0, y - reach, Double(width), text.height + 2 * reach)
        cairo_clip(cairo)
        use(paint)
        cairo_move_to(cairo, x, y)
        pango_cairo_show_layout(cairo, text.layout)
        cairo_restore(cairo)
    }
}
