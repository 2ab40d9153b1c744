import Visits

/// A drawing of the questions to a visitor of a deep link: the questions one below another on the left, and
/// on the right where an answer leads.
struct DeepLinkPicture: Sendable {
    struct Box: Sendable {
        var x, y, width, height: Int
        var lines: [String]
        var look: Look
    }

    struct Arrow: Sendable {
        var path: String
        var label: String
        var x, y: Int
        var isLit: Bool
    }

    enum Look: String, Sendable {
        case question, end
        /// The box is a page on the way.
        case page
    }

    private(set) var boxes: [(box: Box, isLit: Bool)] = []
    private(set) var arrows: [Arrow] = []
    private(set) var height = top

    static let width = 362
    private static let (top, step, gap) = (4, 56, 34)
    private static let (questionX, questionWidth, endX, endWidth, endHeight) = (4, 196, 248, 110, 40)
    /// The longest line, in hundredths of the size of the letters.
    private static let longestLine = 1330

    /// The words on a drawing.
    struct Words: Sendable {
        var yes, no: String
        var question: @Sendable (DeepLinkQuestion) -> String
        var end: @Sendable (DeepLinkEnd) -> String
        /// What the answer yes to a question changes about the way, such as "page first".
        var manner: @Sendable (DeepLinkQuestion) -> String
    }

    /// - Parameter way: returns this visitor's answers. Nil draws all ways as not taken.
    init(of visitor: DeepLinkVisitor, way: ((DeepLinkQuestion) -> Bool?)?, _ words: Words) {
        var isOn = way != nil
        for step in visitor.steps {
            let answer = way?(step.question)
            add(question: words.question(step.question), isLit: isOn)
            let exits = answer == step.ending
            let label = step.ending ? words.yes : words.no
            // If only the browser knows the answer, both answers are drawn as taken.
            let isExit = isOn && way != nil && (exits || answer == nil)
            if let end = step.end {
                exit(to: words.end(end), .end, label, isLit: isExit)
                if exits { isOn = false }
            } else {
                exit(to: words.manner(step.question), .page, label, isLit: isExit)
            }
            // A page on the way does not end it, so both answers lead on here. Only the other one is written.
            let isOther = answer.map { $0 != step.ending } ?? true
            down(step.end == nil && !isOther ? "" : step.ending ? words.no : words.yes, isLit: isOn)
        }
        boxes.append(
            (
                Box(
                    x: Self.questionX, y: height, width: Self.questionWidth, height: Self.endHeight,
                    lines: [words.end(visitor.last)], look: .end), isOn
            ))
        height += Self.endHeight + Self.top
    }

    private mutating func add(question: String, isLit: Bool) {
        let box = Box(
            x: Self.questionX, y: height, width: Self.questionWidth, height: Self.step,
            lines: Self.lines(of: question), look: .question)
        boxes.append((box, isLit))
    }

    private mutating func exit(to text: String, _ look: Look, _ label: String, isLit: Bool) {
        let (start, middle) = (Self.questionX + Self.questionWidth, height + Self.step / 2)
        arrows.append(
            Arrow(
                path: "M\(start) \(middle)H\(Self.endX - 2)", label: label, x: (start + Self.endX) / 2,
                y: middle - 7, isLit: isLit))
        let box = Box(
            x: Self.endX, y: middle - Self.endHeight / 2, width: Self.endWidth, height: Self.endHeight,
            lines: [text], look: look)
        boxes.append((box, isLit))
    }

    private mutating func down(_ label: String, isLit: Bool) {
        let (x, y) = (Self.questionX + Self.questionWidth / 2, height + Self.step)
        arrows.append(
            Arrow(path: "M\(x) \(y)V\(y + Self.gap - 2)", label: label, x: x + 24, y: y + 21, isLit: isLit))
        height = y + Self.gap
    }

    /// Breaks a text into lines of similar length that fit into a box: at spaces, and in Japanese anywhere.
    static func lines(of text: String) -> [String] {
        let words = words(of: text).map { word in
            (text: word, width: word.unicodeScalars.reduce(0) { $0 + $1.width })
        }
        let fewest = broken(words, at: longestLine)
        let sentences = sentences(of: words)
        if sentences.count == fewest.count, sentences.allSatisfy({ $0.width <= longestLine }) {
            return sentences.map(\.text)
        }
        // This keeps the last line from having a lone letter.
        let even = words.reduce(0) { $0 + $1.width } / fewest.count + 150
        let same = broken(words, at: min(even, longestLine))
        return same.count == fewest.count ? same : fewest
    }

    /// Returns the sentences of a Japanese text.
    private static func sentences(of words: [(text: String, width: Int)]) -> [(text: String, width: Int)] {
        words.reduce(into: []) { sentences, word in
            if sentences.last?.text.last.map("。？！".contains) ?? true { sentences.append(("", 0)) }
            sentences[sentences.count - 1].text += word.text
            sentences[sentences.count - 1].width += word.width
        }
    }

    private static func broken(_ words: [(text: String, width: Int)], at longest: Int) -> [String] {
        var (lines, width) = ([""], 0)
        for word in words {
            if width + word.width > longest, width > 0 {
                lines.append("")
                width = 0
            }
            lines[lines.count - 1] += word.text
            width += word.width
        }
        return lines
    }

    /// Characters that may not begin a line in Japanese (JIS X 4051).
    private static let neverFirst = Set("、。，．・：；？！ー…）〕］｝〉》」』】々ゝゞヽヾぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ")

    /// Returns words with the space behind them. A wide letter is a word of its own, with the following
    /// letters that may not begin a line. Katakana stay together, since they write a foreign word.
    private static func words(of text: String) -> [String] {
        var words = [""]
        for letter in text {
            let isInside =
                letter.isKatakana && words.last?.last?.isKatakana == true && words[words.count - 1].count < 8
            if isInside || neverFirst.contains(letter) {
                words[words.count - 1].append(letter)
                continue
            }
            let isWide = letter.unicodeScalars.contains { $0.isWide }
            if isWide || words[words.count - 1].last == " "
                || words[words.count - 1].unicodeScalars.contains(where: \.isWide)
            {
                words.append("")
            }
            words[words.count - 1].append(letter)
        }
        return words
    }
}

extension Unicode.Scalar {
    /// Whether the letter is as wide as it is high: kana, Han, Hangul and full-width forms.
    fileprivate var isWide: Bool { (0x1100...0xFFEF).contains(value) && !(0x2000...0x2E7F).contains(value) }

    /// The width in hundredths of the size of the letters.
    fileprivate var width: Int { isWide ? 100 : 52 }
}

extension Character {
    fileprivate var isKatakana: Bool {
        unicodeScalars.first.map { (0x30A1...0x30FF).contains($0.value) } ?? false
    }
}
