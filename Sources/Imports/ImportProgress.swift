import Kernel

/// The progress of an import.
package enum ImportProgress: Sendable, Equatable {
    /// Bytes of the file that were read.
    case reading(bytes: Int)
    /// The step in the database, and how many rows it handles.
    case working(String, rows: Int)
    /// How many rows of all are done.
    case writing(rows: Int, of: Int)
    /// What the report says about one line.
    case found(String)
}
