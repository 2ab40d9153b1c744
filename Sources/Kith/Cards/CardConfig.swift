/// What the operator chooses of cards.
public struct CardConfig: Sendable {
    /// `KITH_CARD_COLORS`; those of the user's page. Two colours, from the upper left corner to the lower right one.
    var colours: CardStyle.Colours?
    /// `KITH_CARD_BACKGROUND`: the file of a picture to draw on in place of colours.
    public var background: String?
}
