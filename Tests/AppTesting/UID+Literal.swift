@testable import Kernel

extension User.UID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(stored: text) }
}
