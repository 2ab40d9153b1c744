/// What the operator chooses of cards.
package struct CardConfig: Sendable {
    /// `KITH_CARD_COLORS`; those of the user's page. Two colours, from the upper left corner to the lower right one.
    package var colours: CardStyle.Colours?
    /// `KITH_CARD_BACKGROUND`: the file of a picture to draw on in place of colours.
    package var background: String?

    package init() {}
}
