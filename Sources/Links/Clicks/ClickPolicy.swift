/// Settings of clicks.
package struct ClickPolicy: Sendable {
    /// `KITH_CLICK_DAYS`; 90. How many days single clicks are kept. With 0 Kith only counts them.
    package var days = 90
    /// `KITH_CLICK_COUNT_DAYS`; 400. How many days have counts of their own. After that the days of a month
    /// become one count.
    package var countDays = 400
    /// `KITH_COUNTRY_HEADER`; none. The header in which a proxy names the visitor's country.
    package var countryHeader: String?

    package init() {}
}
