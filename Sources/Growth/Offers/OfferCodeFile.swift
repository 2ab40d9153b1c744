import Foundation
import Imports
import Kernel
import Web

/// Reads codes from the lines of a file, as App Store Connect exports them: a code on each line, a code and
/// its URL, or columns that a header names.
struct OfferCodeFile {
    let campaign: OfferCampaign
    /// The expiry of lines that have none of their own. Nil if each must have one.
    let expiresAt: Date?
    private var columns: [Column]?
    /// The number of the line that was read last. The first is 1.
    private(set) var line = 0

    enum Column: Equatable { case code, url, expiresAt, other }

    struct Entry: Equatable {
        var code: OfferCode
        var expiresAt: Date
    }

    enum Refusal: Error, Equatable, CaseIterable {
        case code, column, url, otherCode, otherApp, expiry, noExpiry
    }

    init(_ campaign: OfferCampaign, expiresAt: Date?) {
        (self.campaign, self.expiresAt) = (campaign, expiresAt)
    }

    /// Reads a line. Nil for a header or an empty line.
    mutating func read(_ text: String) throws(Refusal) -> Entry? {
        line += 1
        var text = text[...]
        if line == 1, text.first == "\u{FEFF}" { text = text.dropFirst() }
        let fields = text.split(separator: ",", omittingEmptySubsequences: false).map(Self.field)
        guard fields.contains(where: { !$0.isEmpty }) else { return nil }
        guard let columns else {
            let named = fields.map(Self.column)
            if named.contains(.code) || named.contains(.url) {
                self.columns = named
                return nil
            }
            self.columns = [.code, .url]
            // The field is the name of an unknown column rather than a code, and nobody should get it as a
            // code. With a URL beside it, it is not a name.
            let isLine = fields.dropFirst().first?.contains("://") == true
            guard isLine || fields[0].utf8.contains(where: \.isASCIIDigit) else { throw .column }
            return try entry(fields, [.code, .url])
        }
        return try entry(fields, columns)
    }

    private func entry(_ fields: [String], _ columns: [Column]) throws(Refusal) -> Entry {
        func value(_ column: Column) -> String? {
            zip(columns, fields).first { $0.0 == column && !$0.1.isEmpty }?.1
        }
        let ofURL = try value(.url).map(codeOfURL)
        guard let code = value(.code).map(OfferCode.init) ?? ofURL else { throw .code }
        if let ofURL, ofURL != code { throw .otherCode }
        var expiry = expiresAt
        if let text = value(.expiresAt) {
            guard let time = Self.time(text) else { throw .expiry }
            expiry = time
        }
        guard let expiry else { throw .noExpiry }
        return Entry(code: code, expiresAt: expiry)
    }

    /// Returns the code in a URL that redeems it, which must be for the campaign's app.
    private func codeOfURL(_ text: String) throws(Refusal) -> OfferCode {
        guard let url = try? WebURL(text), url.origin == "https://apps.apple.com",
            url.resolvedPath == "/redeem",
            let values = try? (
                code: Query(url.query).value("code"), id: Query(url.query).value("id")
            ),
            let code = values.code.flatMap(OfferCode.init)
        else { throw .url }
        guard values.id == campaign.appStoreID else { throw .otherApp }
        return code
    }

    private static func field(_ text: Substring) -> String {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.count >= 2, text.first == "\"", text.last == "\"" else { return text }
        return String(text.dropFirst().dropLast())
    }

    private static func column(_ name: String) -> Column {
        switch name.lowercased().replacing("_", with: " ") {
        case "code", "codes", "offer code", "code value": .code
        case "url", "redemption url", "code url", "offer code url", "redeem url": .url
        case "expires at", "expiration date", "expiration", "expires": .expiresAt
        default: .other
        }
    }

    /// Reads a time as in RFC 3339, or a day. A day counts as its first moment in UTC, so that no code is
    /// dealt on its last day.
    static func time(_ text: String) -> Date? {
        Date(rfc3339: text) ?? Date(rfc3339: "\(text)T00:00:00Z")
    }
}

extension OfferCodeFile.Refusal {
    var reason: ImportReport.Reason {
        switch self {
        case .code: .offerCode
        case .column: .offerColumn
        case .url: .offerURL
        case .otherCode: .offerOtherCode
        case .otherApp: .offerOtherApp
        case .expiry, .noExpiry: .offerExpiry
        }
    }
}
