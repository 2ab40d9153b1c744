extension Int {
    /// The number in groups of three digits: 1,000,000.
    package var grouped: String {
        var digits = String(self)
        var end = digits.count - 3
        while end > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: end))
            end -= 3
        }
        return digits
    }
}
