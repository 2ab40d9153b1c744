/// How often users may change their usernames, and how long an old one is held for its owner.
package struct UsernamePolicy: Sendable {
    package var rules = UsernameRules()
    /// How long a new username may be corrected once. A typing error is seen within a day.
    var correction: Duration = .seconds(24 * 3600)
    /// `KITH_USERNAME_COOLDOWN_DAYS`; 14. The minimum number of days between two changes.
    package var cooldown: Duration = .seconds(14 * 86_400)
    /// `KITH_USERNAME_HOLD_DAYS`; 90. For how many days an old name is held for its owner.
    package var hold: Duration = .seconds(90 * 86_400)
    /// The most names that are held for a user. Beyond that the name left longest ago is released first, so
    /// that nobody collects names.
    var maxHeld = 3
    /// How many returns to a former name are allowed a day. They do not count as changes. It is enough to
    /// change one's mind, and too few to swap names all day.
    var returnsPerDay = 3
    /// How many changes of the profile are allowed a day, and how many of the spelling of the username.
    /// Friends' phones sync every one.
    package var changesPerDay = 10
    /// `KITH_DELETED_NAME_DAYS`; 365. For how many days nobody gets a name that a deleted account had for
    /// longer than the correction time.
    package var reservation: Duration = .seconds(365 * 86_400)

    package init() {}
}
