/// What can be brought in from another system, each from one CSV file.
public enum Import: Sendable {
    /// `uid,username[,display_name][,created_at]`.
    ///
    /// `keepNames`: also usernames that nobody could choose here. `historyComplete`: these users had no other
    /// names before, or the file of their usernames follows.
    case users(keepNames: Bool, historyComplete: Bool)
    /// `uid,username,valid_from,valid_to[,severed]`: names that users had before.
    ///
    /// `complete`: with this file all earlier names of the users in it are known.
    case usernames(complete: Bool)
    /// `uid,friend_uid[,since]`: the two are friends.
    case friendships(oneSided: OneSided)

    /// What becomes of a friendship that only one of the two lists.
    public enum OneSided: String, CaseIterable, Sendable {
        /// It is made whole.
        case friends
        /// It becomes a request of the one who lists it.
        case request
        case refuse
    }

    public var name: String {
        switch self {
        case .users: "users"
        case .usernames: "usernames"
        case .friendships: "friendships"
        }
    }

    /// The columns that a file must have, and those that it may have.
    var columns: (required: [String], optional: [String]) {
        switch self {
        case .users: (["uid", "username"], ["display_name", "created_at"])
        case .usernames: (["uid", "username", "valid_from", "valid_to"], ["severed"])
        case .friendships: (["uid", "friend_uid"], ["since"])
        }
    }
}

/// How far an import is.
public enum ImportProgress: Sendable, Equatable {
    /// So many bytes of the file.
    case reading(bytes: Int)
    /// What the database is doing, with so many rows.
    case working(String, rows: Int)
}

/// Why nothing was imported.
public enum ImportError: Error, Equatable, CustomStringConvertible {
    /// - line: the first line of the file is 1; nil: the file as a whole.
    case malformed(line: Int?, String)
    case anotherUnderWay
    case busy

    public var description: String {
        switch self {
        case .malformed(let line?, let reason): "line \(line): \(reason); nothing was imported"
        case .malformed(nil, let reason): "\(reason); nothing was imported"
        case .anotherUnderWay: "another import is under way on this database; nothing was imported"
        case .busy: "the tables could not be had to write to; nothing was imported: try again"
        }
    }
}
