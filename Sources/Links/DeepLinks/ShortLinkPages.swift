import Charts
import Foundation
import Kernel
import Visits
import Web

/// The HTML of `/links/{code}+`.
package struct ShortLinkPages: Sendable {
    package let app: AppListing
    package let pages: LandingPages
    package let places: LinkURLs

    package init(app: AppListing, pages: LandingPages, places: LinkURLs) {
        self.app = app
        self.pages = pages
        self.places = places
    }

    var templates: Templates { .link }

    /// The spans of days for which statistics are offered, beside each other.
    private static let spans = [30, 90, 365]

    func html(_ page: ShortLinkPage) -> String {
        let texts = pages.texts(page.language)
        var values = pages.common(page.language)
        let keys: [LandingTexts.Key] = [
            .linkName, .linkCreated, .linkExpires, .linkArchived, .linkLeads, .linkPreview, .linkFlow,
            .linkParameters, .linkLeftOut, .linkClicks, .linkDay, .linkAll, .linkEvent, .linkTable,
        ]
        for key in keys { values[key.rawValue] = texts(key) }
        values["url"] = page.url
        values["title"] = page.url.split(separator: "//", maxSplits: 1).last.map(String.init)
        values["flowURL"] = "\(page.url)?d=1"
        (values["name"], values["note"]) = (page.row.name, page.row.note)
        values["hasTags"] = !page.row.tags.isEmpty
        values["tags"] = page.row.tags.map { ["tag": $0] }
        values["times"] = times(page, texts)
        values["nowhere"] = page.found == nil || page.isOver ? texts(.linkNowhere) : nil
        let ways = DeepLinkSummary(app: app, places: places, texts: texts)
        values["parameters"] = ways.parameters(
            page.row.parameters.map { (name: $0.key, value: $0.value) }, page.found)
        values["hasLeads"] = page.found != nil
        values["leads"] = page.found.map { found in
            DeepLinkVisitor.named.map { ways.way(of: $0, found.link) }
        }
        add(qr: page, texts, to: &values)
        add(clicks: page, texts, to: &values)
        return templates.render(.link, values)
    }

    private func times(_ page: ShortLinkPage, _ texts: LandingTexts) -> [[String: Any]] {
        [
            (.linkCreated, page.row.createdAt), (.linkExpires, page.row.expiresAt),
            (.linkArchived, page.row.archivedAt),
        ]
        .compactMap { (key: LandingTexts.Key, time: Date?) in
            time.map { time in
                let text = JSON.timestamp(time)
                let minute = text.prefix(16).replacing("T", with: " ")
                return ["what": texts(key), "time": text, "minute": "\(minute) UTC"]
            }
        }
    }

    private func add(qr page: ShortLinkPage, _ texts: LandingTexts, to values: inout [String: Any]) {
        let logo = app.icon == nil ? "" : "&logo=app"
        let query = "?domain=\(PercentEncoding.encode(page.domain.text))\(logo)"
        for format in ["svg", "png"] {
            values[format] = "/links/\(page.row.code.text)+/qr.\(format)\(query)"
        }
        values["file"] = page.row.code.text.replacing("/", with: "-")
        values["qrAlternative"] = texts(.linkQR, [.name: page.url])
    }

    private func add(clicks page: ShortLinkPage, _ texts: LandingTexts, to values: inout [String: Any]) {
        let statistics = page.statistics
        let chart = TimeChart(clicksOf: statistics, lastDay: page.lastDay) { name(of: $0, texts) }
        let platforms = Click.Platform.allCases
        values["total"] = statistics.total["click"]?.grouped
        values["spans"] = Self.spans.map { days in
            [
                "span": texts(.linkDays, [.count: String(days)]), "isChosen": days == statistics.days,
                "spanURL": "?\(page.query.map { "\($0)&" } ?? "")days=\(days)",
            ] as [String: Any]
        }
        let words = ChartWords.page(
            page.language.tag, total: texts(.linkAll), nothing: "\(texts(.linkClicks)): 0",
            time: texts(.linkDay))
        var picture = ChartPicture(
            title: texts(.linkClicks),
            notes: [words.span(chart.times.first ?? "", chart.times.last ?? "")], charts: [chart], words)
        picture.isBare = true
        for (size, width) in [("narrow", 320), ("wide", 760)] {
            picture.width = width
            values[size] = picture.dataURL
        }
        values["alternative"] = "\(picture.title): \(picture.summary)"
        let table = chart.table(words)
        values["platforms"] = platforms.map { ["platform": name(of: $0, texts)] }
        values["days"] = table.rows.filter { $0.last != "0" }.map { row in
            ["day": row[0], "cells": row.dropFirst().map { ["count": $0] }] as [String: Any]
        }
        values["hasDays"] = statistics.total["click"] ?? 0 > 0
        let ends: [(String, LandingTexts.Key)] = [
            ("signUp", .eventSignUp), ("friendship", .eventFriendship),
        ]
        let events = Click.Statistic.allCases.map { ($0.rawValue, $0.text) }
        values["events"] = (events + ends).map { name, text in
            [
                "event": texts(text), "all": (statistics.total[name] ?? 0).grouped,
                "cells": platforms.map { platform in
                    // Nobody counts these by the platforms of visitors.
                    guard !ends.contains(where: { $0.0 == name }) else { return ["count": "–"] }
                    let counts = statistics.counts.filter { $0.event == name && $0.platform == platform }
                    return ["count": counts.reduce(0) { $0 + $1.count }.grouped]
                },
            ] as [String: Any]
        }
    }

    private func name(of platform: Click.Platform, _ texts: LandingTexts) -> String {
        switch platform {
        case .ios: "iOS"
        case .android: "Android"
        case .desktop: texts(.linkComputer)
        case .other: texts(.linkOther)
        }
    }
}

extension Click.Statistic {
    fileprivate var text: LandingTexts.Key {
        switch self {
        case .click: .eventClick
        case .redirect: .eventRedirect
        case .install: .eventInstall
        case .firstOpen: .eventFirstOpen
        case .reopen: .eventReopen
        }
    }
}
