/// What the operator chooses for cards.
package struct CardConfig: Sendable {
    /// `KITH_CARD_COLORS`; those of the user's page. The two colours, from the upper left corner to the lower
    /// right one.
    package var colours: CardStyle.Colours?
    /// `KITH_CARD_BACKGROUND`: the file of a picture that is the background in place of colours.
    package var background: String?

    package init() {}
}
