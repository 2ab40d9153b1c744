import Foundation
import Kernel
import Web

/// The HTML of `/links/{code}+`.
package struct LinkPages: Sendable {
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

    func html(_ page: LinkPage) -> String {
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
        values["name"] = page.row.name
        values["times"] = times(page, texts)
        values["nowhere"] = page.found == nil || page.isOver ? texts(.linkNowhere) : nil
        let ways = DeepLinkSummary(app: app, places: places, texts: texts)
        values["parameters"] = ways.parameters(
            page.row.parameters.map { (name: $0.key, value: $0.value) }, page.found)
        values["hasLeads"] = page.found != nil
        values["leads"] = page.found.map { found in
            [.iPhone, .iPad, .android, .computer, .preview].map { ways.way(of: $0, found.link) }
        }
        add(qr: page, texts, to: &values)
        add(clicks: page, texts, to: &values)
        return templates.render(.link, values)
    }

    private func times(_ page: LinkPage, _ texts: LandingTexts) -> [[String: Any]] {
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

    private func add(qr page: LinkPage, _ texts: LandingTexts, to values: inout [String: Any]) {
        let logo = app.icon == nil ? "" : "&logo=app"
        let query = "?domain=\(PercentEncoding.encode(page.domain.text))\(logo)"
        for format in ["svg", "png"] {
            values[format] = "/links/\(page.row.code.text)+/qr.\(format)\(query)"
        }
        values["file"] = page.row.code.text.replacing("/", with: "-")
        values["qrAlternative"] = texts(.linkQR, [.name: page.url])
    }

    private func add(clicks page: LinkPage, _ texts: LandingTexts, to values: inout [String: Any]) {
        let statistics = page.statistics
        let chart = ClickChart(statistics, lastDay: page.lastDay)
        let platforms = Click.Platform.allCases
        values["total"] = statistics.total["click"]?.grouped
        values["spans"] = Self.spans.map { days in
            [
                "span": texts(.linkDays, [.count: String(days)]), "isChosen": days == statistics.days,
                "spanURL": "?\(page.query.map { "\($0)&" } ?? "")days=\(days)",
            ] as [String: Any]
        }
        (values["top"], values["half"]) = (chart.top.grouped, (chart.top / 2).grouped)
        (values["width"], values["height"]) = (chart.days.count * ClickChart.dayWidth, ClickChart.height)
        (values["middle"], values["dayWidth"]) = (ClickChart.height / 2, ClickChart.dayWidth)
        (values["firstDay"], values["lastDay"]) = (chart.days.first?.day, chart.days.last?.day)
        values["platforms"] = platforms.map {
            ["platform": name(of: $0, texts), "class": $0.rawValue, "bars": chart.path(of: $0)]
        }
        let clicked = chart.days.enumerated().filter { $1.total > 0 }
        values["hasDays"] = !clicked.isEmpty
        values["days"] = clicked.map { number, day in
            [
                "day": day.day, "x": number * ClickChart.dayWidth, "all": day.total.grouped,
                "cells": platforms.map { ["count": (day.counts[$0] ?? 0).grouped] },
            ] as [String: Any]
        }
        values["events"] = Click.Statistic.allCases.map { event in
            [
                "event": texts(event.text), "all": (statistics.total[event.rawValue] ?? 0).grouped,
                "cells": platforms.map { platform in
                    let counts = statistics.counts.filter {
                        $0.event == event.rawValue && $0.platform == platform
                    }
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
