import Web

/// Offer codes, rewards of invites, and those that wait for a person.
enum RewardPages {
    static let all: [ConsolePage] = [
        ConsolePage("/rewards", in: .rewards, shows: "GET /v1/admin/offers", listRewards),
        ConsolePage(
            "/rewards/queue", in: .rewards, shows: "GET /v1/admin/rewards",
            acts: [Act("decide", calls: "POST /v1/admin/rewards/{reward}/decision", decide)], showQueue),
        ConsolePage("/redemptions", in: .rewards, shows: "GET /v1/admin/redemptions", listRedemptions),
    ]

    @Sendable private static func listRewards(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let offers = try await asked.api.get("/v1/admin/offers")
        let programs = try await asked.api.get("/v1/admin/rewards/programs")
        var page = Page(words["area.rewards"], lead: words["rewards.lead"])
        if asked.mayCall("GET /v1/admin/rewards") {
            page.actions = [
                Way(path: "/rewards/queue?state=flagged", title: words["rewards.queue"]),
                Way(path: "/redemptions", title: words["redemptions.title"]),
            ]
        }
        let mayEdit = asked.mayCall(ItemKind.campaigns.call)
        page.parts = [
            Section(
                words["campaigns.title"], [campaignTable(offers, words)],
                actions: mayEdit ? [Way(path: "/campaigns/new", title: words["items.offers.new"])] : []),
            Section(
                words["programs.title"], [programTable(programs, words)],
                actions: mayEdit ? [Way(path: "/programs/new", title: words["items.rewards.new"])] : []),
            ChartImage(
                path: "/v1/admin/numbers/rewards.earned?by=item", alternative: words["rewards.earned"]),
            ChartImage(
                path: "/v1/admin/numbers/offers.redeemed?by=item", alternative: words["offers.redeemed"]),
        ]
        return page
    }

    private static func campaignTable(_ offers: JSONTree, _ words: Words) -> any Part {
        let rows = offers.list("campaigns").map { campaign -> [Cell] in
            let isLow = campaign.int("codes.free") < campaign.int("lowWater")
            return [
                .link(PagePath.of(campaign.text("key"), in: "/campaigns"), campaign.text("key")),
                .text(campaign.text("offer")),
                .number(campaign.int("codes.free")), .number(campaign.int("codes.dealt")),
                .number(campaign.int("codes.expiring")),
                isLow ? .badge(.warning, words["campaigns.low"]) : .badge(.good, words["campaigns.enough"]),
                .link(apiPath("offer-codes", campaign.text("key")), words["codes.title"]),
            ]
        }
        guard !rows.isEmpty else { return Empty(text: words["campaigns.none"]) }
        return Table(
            words["campaigns.title"],
            [
                "items.key", "campaigns.offer", "campaigns.free", "campaigns.dealt", "campaigns.expiring",
                "campaigns.state", "codes.title",
            ].map { words[$0] }, rows)
    }

    private static func programTable(_ programs: JSONTree, _ words: Words) -> any Part {
        let rows = programs.list("programs").map { program -> [Cell] in
            func side(_ name: String) -> Cell {
                program[name] == nil
                    ? .none
                    : .text("\(words.number(program.int("\(name).amount"))) \(program.text("\(name).unit"))")
            }
            return [
                .link(PagePath.of(program.text("program"), in: "/programs"), program.text("program")),
                .text(program.text("qualify.kind")), side("inviter"), side("invitee"),
                .number(program.int("hold")),
            ]
        }
        guard !rows.isEmpty else { return Empty(text: words["programs.none"]) }
        return Table(
            words["programs.title"],
            ["items.key", "programs.qualify", "programs.inviter", "programs.invitee", "programs.hold"].map {
                words[$0]
            }, rows)
    }

    // MARK: The queue

    @Sendable private static func showQueue(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let state = asked.query.raw == nil ? "flagged" : asked.value("state")
        let answer = try await asked.api.get(
            apiPath(
                "v1", "admin", "rewards",
                query: [
                    "state": state, "program": asked.value("program"), "uid": asked.value("uid"),
                    "after": asked.value("after"),
                ]))
        var page = Page(words["rewards.queue"], lead: words["rewards.queueLead"])
        page.parent = (path: "/rewards", title: words["area.rewards"])
        let states = ["", "pending", "flagged", "approved", "settled", "rejected", "clawed_back", "expired"]
        var filter = Form(
            act: nil,
            fields: [
                Field(
                    "state", words["rewards.state"],
                    .choice(states.map { .init(value: $0, title: words["rewards.state.\($0)"]) }),
                    value: state),
                Field("program", words["rewards.program"], value: asked.value("program")),
                Field("uid", words["audit.uid"], value: asked.value("uid")),
            ], submit: words["kit.show"], kind: .plain)
        filter.isRow = true
        let cards = answer.list("rewards").map { rewardCard($0, asked) }
        page.parts = [filter] + (cards.isEmpty ? [Empty(text: words["rewards.noneFound"])] : cards)
        if let next = answer.text("next").nonEmpty {
            page.parts.append(
                Next(
                    path: "/rewards/queue".appending(query: [
                        "state": state, "program": asked.value("program"), "uid": asked.value("uid"),
                        "after": next,
                    ])))
        }
        return page
    }

    private static func rewardCard(_ reward: JSONTree, _ asked: PageRequest) -> any Part {
        let words = asked.words
        let state = reward.text("state")
        let decisions =
            state == "flagged"
            ? ["approve", "reject"] : ["approved", "settled"].contains(state) ? ["claw_back"] : []
        let choices = decisions.map { Field.Choice(value: $0, title: words["rewards.decision.\($0)"]) }
        let form =
            decisions.isEmpty
            ? nil
            : asked.form(
                "decide",
                [
                    Field("decision", words["rewards.decision"], .choice(choices), isNeeded: true),
                    Field("reason", words["items.reason"], isNeeded: true),
                ],
                submit: words["rewards.decide"], hidden: [("reward", reward.text("id"))])
        var parts: [any Part] = [
            Facts([
                (
                    words["audit.uid"],
                    .link(PagePath.of(reward.text("uid"), in: "/people"), reward.text("uid"))
                ),
                (
                    words["rewards.other"],
                    .link(PagePath.of(reward.text("otherUid"), in: "/people"), reward.text("otherUid"))
                ),
                (words["rewards.program"], .text(reward.text("program"))),
                (words["rewards.state"], .badge(.plain, words["rewards.state.\(state)"])),
                (words["rewards.made"], .time(reward.text("createdAt"))),
                (
                    words["rewards.reasons"],
                    reward.list("reasons").isEmpty
                        ? nil : .badges(reward.list("reasons").map { $0.text ?? $0.text("rule") })
                ),
            ])
        ]
        if var form {
            form.isRow = true
            parts.append(form)
        }
        return Section("\(words.number(reward.int("amount"))) \(reward.text("unit"))", parts)
    }

    @Sendable private static func decide(_ asked: PageRequest, _ entries: Entries) async throws -> Act.Outcome
    {
        let body = JSONBody.object([
            "decision": .text(entries["decision"]), "reason": .text(entries["reason"]),
        ])
        try await asked.api.send(
            APICall(
                method: .post, path: apiPath("v1", "admin", "rewards", entries["reward"]) + "/decision",
                body: body.json))
        return .done(
            "rewards.decided",
            at: "/rewards/queue".appending(query: ["state": asked.value("state").nonEmpty ?? "flagged"]))
    }

    @Sendable private static func listRedemptions(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let answer = try await asked.api.get(
            apiPath(
                "v1", "admin", "redemptions",
                query: ["orphans": asked.value("orphans"), "after": asked.value("after")]))
        var page = Page(words["redemptions.title"], lead: words["redemptions.lead"])
        page.parent = (path: "/rewards", title: words["area.rewards"])
        let rows = answer.list("redemptions").map { one -> [Cell] in
            [
                .text(one.text("offer")), .text(one.text("productId")),
                one.text("uid").isEmpty
                    ? .none : .link(PagePath.of(one.text("uid"), in: "/people"), one.text("uid")),
                .badge(.plain, one.text("state")),
                .time(one.text("redeemedAt")), .code(one.text("originalTransactionId")),
            ]
        }
        let next = answer.text("next").nonEmpty.map { "/redemptions".appending(query: ["after": $0]) }
        page.parts = [
            rows.isEmpty
                ? Empty(text: words["redemptions.none"])
                : Table(
                    words["redemptions.title"],
                    [
                        "campaigns.offer", "redemptions.product", "audit.uid", "rewards.state",
                        "redemptions.at", "redemptions.transaction",
                    ].map { words[$0] }, rows, next: next)
        ]
        return page
    }

    fileprivate static func report(_ asked: PageRequest, _ key: String, _ item: ItemKind.Fields) async throws
        -> [any Part]
    {
        let words = asked.words
        guard
            let report = try await asked.api.find(
                apiPath("v1", "admin", "rewards", "programs", key) + "/report")
        else { return [] }
        let rows = report.list("rewards").map { one -> [Cell] in
            [
                .text(words["programs.\(one.text("side"))"]),
                .badge(.plain, words["rewards.state.\(one.text("state"))"]), .number(one.int("rewards")),
                .number(one.int("amount")),
            ]
        }
        return [
            Figures(
                figures: ["all", "qualified", "ended"].map {
                    .init(
                        name: words["programs.referrals.\($0)"],
                        number: words.number(report.int("referrals.\($0)")))
                }),
            rows.isEmpty
                ? Empty(text: words["programs.noRewards"])
                : Table(
                    words["programs.rewards"],
                    ["programs.side", "rewards.state", "programs.count", "programs.amount"].map { words[$0] },
                    rows),
        ]
    }
}

extension ItemKind {
    static let campaigns = ItemKind(
        section: "offers", area: .rewards, path: "/campaigns",
        fields: { words in
            [
                Field("appStoreId", words["campaigns.appStoreId"], example: "1234567890", isNeeded: true),
                Field("offer", words["campaigns.offer"], hint: words["campaigns.offerHint"], isNeeded: true),
                Field("productId", words["campaigns.productId"], hint: words["campaigns.productIdHint"]),
                Field("sharedCode", words["campaigns.sharedCode"], hint: words["campaigns.sharedCodeHint"]),
                Field(
                    "environment", words["campaigns.environment"],
                    .choice(
                        ["", "production", "sandbox"].map {
                            .init(value: $0, title: words["campaigns.environment.\($0)"])
                        })),
                Field(
                    "lowWater", words["campaigns.lowWater"], hint: words["campaigns.lowWaterHint"],
                    example: "100"),
                Field("quarterBudget", words["campaigns.quarterBudget"], example: "5000"),
            ]
        })

    static let programs = ItemKind(
        section: "rewards", area: .rewards, path: "/programs",
        fields: { words in
            [
                Field("from", words["when.from"], .time, hint: words.zoneHint),
                Field("until", words["when.until"], .time, hint: words.zoneHint),
                Field(
                    "qualify", words["programs.qualify"], hint: words["programs.qualifyHint"],
                    example: "signed_up"),
                Field("within", words["programs.within"], example: "30"),
                Field("inviter.credit.amount", words["programs.inviterAmount"], example: "100"),
                Field("inviter.credit.unit", words["programs.inviterUnit"], example: "coins"),
                Field("inviter.offer", words["programs.inviterOffer"], hint: words["programs.offerHint"]),
                Field("invitee.credit.amount", words["programs.inviteeAmount"], example: "100"),
                Field("invitee.credit.unit", words["programs.inviteeUnit"], example: "coins"),
                Field("invitee.offer", words["programs.inviteeOffer"], hint: words["programs.offerHint"]),
                Field("caps.perInviter", words["programs.perInviter"], example: "32"),
                Field("caps.perDay", words["programs.perDay"], example: "500"),
                Field("hold", words["programs.hold"], hint: words["programs.holdHint"], example: "14"),
            ]
        },
        more: { try await RewardPages.report($0, $1, $2) })
}
