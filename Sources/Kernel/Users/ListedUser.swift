extension User {
    /// A user in a list. Its JSON is one object: what may be seen of the user, and what the list says about
    /// them.
    package struct Listed<Detail: Encodable & Sendable>: Encodable, Sendable {
        package var uid: UID
        /// The user's profile. Nil if the user may not be seen.
        package var profile: Profile?
        package var detail: Detail

        package init(uid: UID, profile: Profile? = nil, detail: Detail) {
            self.uid = uid
            self.profile = profile
            self.detail = detail
        }

        private enum CodingKeys: CodingKey { case uid }

        package func encode(to encoder: any Encoder) throws {
            if let profile {
                try profile.encode(to: encoder)
            } else {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(uid, forKey: .uid)
            }
            try detail.encode(to: encoder)
        }
    }
}

extension User.Listed {
    package init(_ profile: User.Profile, _ detail: Detail) {
        self.init(uid: profile.uid, profile: profile, detail: detail)
    }
}
