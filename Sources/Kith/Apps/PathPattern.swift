/// A pattern of paths as Apple and Google read it in association files: `*` is any text, also none and with slashes, `?` is one
/// character (https://developer.apple.com/documentation/bundleresources/applinks/details/components).
struct PathPattern: Hashable, Sendable {
    let text: String

    func matches(_ path: String) -> Bool {
        let (pattern, path) = (Array(text.utf8), Array(path.utf8))
        var (place, position) = (0, 0)
        // The last `*`, and where in the path what follows it was tried last.
        var star: (place: Int, position: Int)?
        while position < path.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                star = (place, position)
                place += 1
            } else if place < pattern.count,
                pattern[place] == path[position] || pattern[place] == UInt8(ascii: "?")
            {
                (place, position) = (place + 1, position + 1)
            } else if let last = star {
                star = (last.place, last.position + 1)
                (place, position) = (last.place + 1, last.position + 1)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
