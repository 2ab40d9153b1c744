@testable import Web

// swift-format-ignore: NeverForceUnwrap
extension Language {
    static let ar = Language("ar")!
    static let en = Language("en")!
    static let ja = Language("ja")!
}
