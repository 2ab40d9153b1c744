import Graph
import Hummingbird
import Kernel
import Web

/// The route `GET /v1/config`: what an app may want to know about the server before anybody signs in.
struct ConfigRoutes {
    let answer: ConfigResponse

    /// `GET /v1/config` shows the settings that matter to apps. It needs no credentials.
    @Sendable func show(_ request: Request, context: AppContext) throws -> Response {
        try JSON.revalidated(answer, for: request, cacheControl: "public, max-age=60")
    }
}

struct ConfigResponse: Encodable, Sendable {
    var version = BuildInfo.version
    var commit = BuildInfo.commit
    var migration = BuildInfo.migration
    let app: Named
    let languages: [String]
    let usernames: Usernames
    let profiles: Profiles
    let invites: Invites
    let limits: Limits

    struct Named: Encodable, Sendable {
        let name: String
    }

    struct Usernames: Encodable, Sendable {
        let minLength: Int
        let maxLength: Int
        /// An ECMA-262 regular expression. In addition, some words may be reserved.
        let pattern: String
    }

    struct Profiles: Encodable, Sendable {
        var displayNameLength = 100
        let avatarHosts: [String]
        var avatarUrlLength = AvatarURL.maxLength
        var metadataEntries = User.Metadata.maxEntries
        var metadataBytes = User.Metadata.maxBytes
    }

    struct Invites: Encodable, Sendable {
        /// What a newcomer becomes with a link with a name and a uid.
        let byName: InviteResult
        var labelLength = InviteRequest.maxLabel
        var noteLength = InviteRequest.maxNote
    }

    struct Limits: Encodable, Sendable {
        let friends: Int
        let requests: Int
        let blocks: Int
        let links: Int
        /// The most entries of a page.
        var page = Query.maxLimit
        /// The most entries of a page of friends or changes.
        var friendPage = Query.maxFriends
        /// The most users in one call.
        var batch = Query.maxUsers
        /// How many changes of the profile, and new short codes of the permanent link, are allowed in 24
        /// hours.
        let profileChanges: Int
        let rotations: Int
    }

    init(_ config: Config, languages: Languages) {
        let length = config.usernames.rules.length
        app = Named(name: config.app.name)
        self.languages = languages.all.map(\.tag)
        usernames = Usernames(
            minLength: length.lowerBound, maxLength: length.upperBound,
            pattern: "^(?!.*__)[A-Za-z][A-Za-z0-9_]{\(length.lowerBound - 1),\(length.upperBound - 1)}$")
        profiles = Profiles(avatarHosts: config.avatarHosts.names)
        invites = Invites(byName: InviteResult(config.invites.byName))
        limits = Limits(
            friends: config.friends.friends, requests: config.friends.requests,
            blocks: config.friends.blocks, links: config.invites.links,
            profileChanges: config.usernames.changesPerDay, rotations: config.invites.rotations)
    }
}
