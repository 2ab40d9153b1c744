import Foundation

/// The HTML of `/links/{code}+`.
struct LinkPages: Sendable {
    let app: AppListing
    let pages: LandingPages
    let templates: Templates
    let places: LinkPlaces

    /// Of the statistics, beside each other.
    private static let spans = [30, 90, 365]

    func html(_ page: LinkPage) -> String {
        let texts = pages.languages[page.language]
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
        values["parameters"] = parameters(page)
        values["hasLeads"] = page.found != nil
        values["leads"] = page.found.map { leads($0.link, texts) }
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

    /// As they are stored; those that do not count say so.
    private func parameters(_ page: LinkPage) -> [[String: Any]] {
        let order = Dictionary(
            uniqueKeysWithValues: LinkParameter.allCases.enumerated().map { ($1.rawValue, $0) })
        let sorted = page.row.parameters.sorted {
            (order[$0.key] ?? .max, $0.key) < (order[$1.key] ?? .max, $1.key)
        }
        return sorted.map { name, value in
            let warnings = (page.found?.warnings ?? [])
                .filter { $0.parameter == name && $0.code != .unspecified }.map(\.code.rawValue)
            var values: [String: Any] = ["parameter": name, "value": value]
            values["warning"] = warnings.isEmpty ? nil : warnings.sorted().joined(separator: ", ")
            if let link = page.found?.link {
                values["isLeftOut"] =
                    name != "link" && LinkParameter(rawValue: name).flatMap { link[$0] } == nil
            }
            return values
        }
    }

    private func leads(_ link: DeepLink, _ texts: LandingTexts) -> [[String: Any]] {
        let isInvite = link.isInvite(places.links)
        return LinkPage.Visitor.allCases.map { visitor in
            var values: [String: Any] = ["visitor": name(of: visitor, texts)]
            func lead(_ key: LandingTexts.Key, _ place: DeepLinkAnswer.Destination) {
                (values["how"], values["place"]) = (texts(key), places.url(of: place, for: link))
            }
            switch DeepLinkAnswer(to: visitor.visit(isInvite: isInvite), link, app).way {
            case .redirect(let place): lead(.linkAtOnce, place)
            case .page(let place), .asking(_, other: let place): lead(.linkPageFirst, place)
            case .preview:
                values["previewTitle"] = link[.st] ?? app.name
                values["previewText"] = link[.sd] ?? app.tagline
                values["previewImage"] = link[.si]
            }
            return values
        }
    }

    private func name(of visitor: LinkPage.Visitor, _ texts: LandingTexts) -> String {
        switch visitor {
        case .iPhone: "iPhone"
        case .iPad: "iPad"
        case .android: "Android"
        case .computer: texts(.linkComputer)
        case .preview: texts(.linkPreview)
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
