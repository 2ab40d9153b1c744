import Kernel

/// Why nothing was imported.
package enum ImportError: Error, Equatable, CustomStringConvertible {
    /// - line: the number of the line, from 1. Nil for the file as a whole.
    case malformed(line: Int?, String)
    case anotherUnderWay
    case busy

    package var description: String {
        switch self {
        case .malformed(let line?, let reason): "line \(line): \(reason); nothing was imported"
        case .malformed(nil, let reason): "\(reason); nothing was imported"
        case .anotherUnderWay: "another import is running on this database; nothing was imported"
        case .busy: "could not lock the tables; nothing was imported: try again"
        }
    }
}
