/// A kind of import from another system, from one CSV file.
public enum Import: Sendable {
    /// `uid,username[,display_name][,created_at]`.
    ///
    /// With `keepNames`, usernames that users may not choose are accepted, too. With `historyComplete`, these users had no
    /// other usernames before, or the file of those usernames follows.
    case users(keepNames: Bool, historyComplete: Bool)
    /// `uid,username,valid_from,valid_to[,severed]`: earlier usernames of users.
    ///
    /// With `complete`, this file completes the earlier usernames of the users in it.
    case usernames(complete: Bool)
    /// `uid,friend_uid[,since]`: pairs of friends.
    case friendships(oneSided: OneSided)

    /// How to import a friendship that only one side lists.
    public enum OneSided: String, CaseIterable, Sendable {
        /// As a friendship.
        case friends
        /// As a request of the side that lists it.
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

    var columns: ImportColumns {
        switch self {
        case .users:
            ImportColumns(
                of: name, ["uid", "username"], ["display_name", "created_at"],
                types: ["created_at": "timestamptz"])
        case .usernames:
            ImportColumns(
                of: name, ["uid", "username", "valid_from", "valid_to"], ["severed"],
                types: ["valid_from": "timestamptz", "valid_to": "timestamptz", "severed": "boolean"])
        case .friendships:
            ImportColumns(of: name, ["uid", "friend_uid"], ["since"], types: ["since": "timestamptz"])
        }
    }
}

/// The progress of an import.
public enum ImportProgress: Sendable, Equatable {
    /// Bytes of the file that were read.
    case reading(bytes: Int)
    /// The step in the database, and how many rows it handles.
    case working(String, rows: Int)
    /// How many rows of all are done.
    case writing(rows: Int, of: Int)
    /// What the report says of one line.
    case found(String)
}

/// Why nothing was imported.
public enum ImportError: Error, Equatable, CustomStringConvertible {
    /// - line: counts from 1; nil for the file as a whole.
    case malformed(line: Int?, String)
    case anotherUnderWay
    case busy

    public var description: String {
        switch self {
        case .malformed(let line?, let reason): "line \(line): \(reason); nothing was imported"
        case .malformed(nil, let reason): "\(reason); nothing was imported"
        case .anotherUnderWay: "another import is running on this database; nothing was imported"
        case .busy: "could not lock the tables; nothing was imported: try again"
        }
    }
}
