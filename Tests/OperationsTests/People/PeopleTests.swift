import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Console
@testable import Kernel
@testable import Kith
@testable import Web

/// People: as admins and `kith person` manage them.
@Suite(.inTurns) struct PeopleTests {
    @Test func `an admin adds a person, sends a link, changes and removes them`() async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            let (admin, people) = (try await app.keyed(), "/v1/admin/people")
            let added = try await app.call(
                .put, "\(people)/Ann%40Example.com", headers: admin, body: ["roles": ["growth", "viewer"]])
            #expect(added.status == 201 && added["email"] == "ann@example.com", "\(added.text)")
            #expect(
                added.text.contains(#""roles":["viewer","growth"]"#) && added["byRule"] == "0",
                "\(added.text)")
            let again = try await app.call(
                .put, "\(people)/ann@example.com", headers: admin,
                body: ["roles": ["growth", "growth", "viewer"]])
            #expect(again.status == 200, "\(again.text)")
            let link = try await app.call(.post, "\(people)/ann@example.com/sign-in-links", headers: admin)
            let url = try #require(link["url"])
            #expect(link.status == 201 && url.hasPrefix("\(TestApp.console)/sign-in/"), "\(link.text)")
            let path = url.replacing(TestApp.console, with: "")
            #expect(try await app.post(path, as: nil, headers: app.browser()).status == 303)
            #expect(try await app.asked(people, admin).objects("people").count == 1)
            #expect(try await app.asked("\(people)/ann@example.com", admin)["email"] == "ann@example.com")
            #expect(try await app.call(.delete, "\(people)/ann@example.com", headers: admin).status == 204)
            #expect(try await app.get("\(people)/ann@example.com", headers: admin).code == "person_not_found")
            #expect(try await app.asked(people, admin).objects("people").isEmpty)
            let gone = try await app.call(.post, "\(people)/ann@example.com/sign-in-links", headers: admin)
            #expect((gone.status, gone.code) == (404, "person_not_found"))
            let back = try await app.call(
                .put, "\(people)/ann@example.com", headers: admin, body: ["roles": ["links"]])
            #expect(back.status == 201, "\(back.text)")
        }
    }

    @Test func `what is no person and no role is refused with the field`() async throws {
        try await TestApp.run { app in
            let (admin, people) = (try await app.keyed(), "/v1/admin/people")
            for (path, body, field) in [
                ("ann@example.com", ["roles": [String]()] as Body, "roles"),
                ("ann@example.com", ["roles": ["owner"]], "roles"), ("ann@example.com", [:], "roles"),
                ("ann@example.com", ["roles": ["client"]], "roles"),
                ("ann", ["roles": ["viewer"]], "email"),
                ("%E2%84%AAim@example.com", ["roles": ["viewer"]], "email"),
                ("a%20b@example.com", ["roles": ["viewer"]], "email"),
                ("%FF@example.com", ["roles": ["viewer"]], "email"),
                ("\(String(repeating: "a", count: 250))@b.c", ["roles": ["viewer"]], "email"),
            ] {
                let answer = try await app.call(.put, "\(people)/\(path)", headers: admin, body: body)
                #expect((answer.status, answer["field"]) == (400, field), "\(path): \(answer.text)")
            }
            #expect(try await app.count("people") == 0)
            try await app.add("ann@example.com", [.viewer])
            let link = try await app.call(.post, "\(people)/ann@example.com/sign-in-links", headers: admin)
            #expect((link.status, link.code) == (409, "no_console"), "\(link.text)")
            #expect(try await app.count("sign_in_links") == 0)
        }
    }

    @Test func `each says who they are, and a key may remove the last admin, who cannot themselves`()
        async throws
    {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            for role in Role.allCases {
                let key = try await app.keyed(APIKey.Scope(role))
                let me = try await app.asked("/v1/admin/me", key)
                #expect(me["actor"]?.hasPrefix("key:") == true && me["session"] == nil)
                #expect(me.text.contains("\"roles\":[\"\(role)\"]"), "\(me.text)")
            }
            let boss = try await app.signIn("boss@example.com", [.admin])
            let me = try await app.asked("/v1/admin/me", boss)
            #expect(me["actor"] == "person:boss@example.com" && me["session.email"] == "boss@example.com")
            let own = try await app.call(.delete, "/v1/admin/people/boss@example.com", headers: boss)
            #expect((own.status, own.code) == (409, "own_role"))
            let key = try await app.keyed()
            let removed = try await app.call(.delete, "/v1/admin/people/boss@example.com", headers: key)
            #expect(removed.status == 204)
            #expect(try await !app.isSignedIn(boss))
            #expect(
                try await app.count(
                    "audit WHERE act = 'remove_person' AND actor LIKE 'key:%'") == 1)
        }
    }

    @Test func `of many who add, change and sign in a person at once each gets an answer`()
        async throws
    {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            let admin = try await app.keyed()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<24 {
                    group.addTask {
                        let role = Role.allCases[number % 5].rawValue
                        let answer = try await app.call(
                            .put, "/v1/admin/people/ann@example.com", headers: admin, body: ["roles": [role]])
                        #expect([200, 201].contains(answer.status), "\(answer.text)")
                        let path = try await app.link("ann@example.com", nil)
                        #expect(try await app.post(path, as: nil, headers: app.browser()).status == 303)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await app.count("people") == 1)
            #expect(try await app.count("audit WHERE act = 'set_person'") == 24)
        }
    }

    @Test func `kith person adds, lists, changes and removes people, and the audit has it`() async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            let environment = [
                "KITH_DATABASE_URL": app.app.config.database.url, "KITH_CONSOLE_URL": TestApp.console,
            ]
            func kith(_ arguments: String...) async throws -> KithCommand.Outcome {
                try await KithCommand(["person"] + arguments, environment).run()
            }
            let added = try await kith("add", "Ann@Example.com", "--role", "growth", "--role", "viewer")
            let path = added.output.replacing(TestApp.console, with: "").trimmingCharacters(in: .newlines)
            #expect(added.status == 0 && path.hasPrefix("/sign-in/"), "\(added)")
            let signedIn = try await app.post(path, as: nil, headers: app.browser())
            #expect(signedIn.status == 303)
            let listed = try await kith("list").output
            #expect(listed.hasPrefix("ann@example.com  viewer,growth  ") && listed.contains("1 sessions"))
            let browser = app.browser(signedIn.cookie())
            let out = try await kith("sign-out", "ann@example.com")
            #expect(out.output == "1 sessions of ann@example.com ended\n", "\(out)")
            #expect(try await kith("roles", "ann@example.com", "--role", "links").status == 0)
            let link = try await kith("link", "ann@example.com")
            #expect(link.output.hasPrefix("\(TestApp.console)/sign-in/"), "\(link)")
            #expect(try await kith("remove", "ann@example.com").status == 0)
            for arguments in [["remove"], ["link"], ["sign-out"], ["roles", "--role", "viewer"]] {
                let outcome = try await KithCommand(
                    ["person"] + arguments.prefix(1) + ["ann@example.com"] + arguments.dropFirst(),
                    environment
                ).run()
                #expect(outcome.status == 1 && outcome.error.contains("kith person list"), "\(outcome)")
            }
            #expect(try await kith("add", "ann", "--role", "growth").status == 2)
            #expect(try await kith("add", "ann@example.com").status == 2)
            let nowhere = try await KithCommand(
                ["person", "add", "ben@example.com", "--role", "viewer"],
                ["KITH_DATABASE_URL": app.app.config.database.url]
            ).run()
            #expect(nowhere.status == 1 && nowhere.error.contains("KITH_CONSOLE_URL"), "\(nowhere)")
            #expect(try await app.count("people") == 1)
            #expect(try await app.count("audit WHERE actor LIKE 'command:%'") == 6)
            #expect(try await app.get("/", headers: browser).status == 303)
        }
    }

    @Test func `kith person add says what becomes different for somebody who was there`() async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            let environment = [
                "KITH_DATABASE_URL": app.app.config.database.url, "KITH_CONSOLE_URL": TestApp.console,
            ]
            func add(_ roles: String...) async throws -> [Substring] {
                let roles = roles.flatMap { ["--role", $0] }
                let outcome = try await KithCommand(
                    ["person", "add", "ann@example.com"] + roles, environment
                ).run()
                let lines = outcome.output.split(separator: "\n")
                #expect(outcome.status == 0 && lines.last?.hasPrefix(TestApp.console) == true, "\(outcome)")
                return lines.dropLast()
            }
            #expect(try await add("admin").isEmpty)
            _ = try await app.signIn("ann@example.com", [.admin])
            #expect(
                try await add("links", "growth") == [
                    "ann@example.com is now links, growth; was admin; 1 sessions ended"
                ])
            #expect(
                try await add("growth", "links") == ["ann@example.com was there already, with these roles"])
            _ = try await KithCommand(["person", "remove", "ann@example.com"], environment).run()
            #expect(try await add("viewer").isEmpty)
        }
    }

    @Test func `kith person sign-out --all ends everybody's sessions and unused links`() async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            let browsers = [
                try await app.signIn("ann@example.com", [.viewer]),
                try await app.signIn("ben@example.com", [.admin]),
            ]
            let link = try await app.link("cat@example.com")
            let environment = ["KITH_DATABASE_URL": app.app.config.database.url]
            for wrong in [[], ["ann@example.com", "--all"]] {
                let outcome = try await KithCommand(["person", "sign-out"] + wrong, environment).run()
                #expect(outcome.status == 2 && outcome.error.contains("--all"), "\(outcome)")
            }
            let out = try await KithCommand(["person", "sign-out", "--all"], environment).run()
            #expect(
                out.output == "everybody must sign in at the console anew: 2 sessions ended\n", "\(out)")
            #expect(try await app.count("sessions WHERE ended_at IS NULL") == 0)
            for browser in browsers {
                try await waitUntil("a server knows") { try await !app.isSignedIn(browser) }
            }
            #expect(try await app.post(link, as: nil, headers: app.browser()).status == 403)
        }
    }

    @Test func `kith restored signs everybody out, and links of before no longer work`() async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            _ = try await app.signIn("ann@example.com", [.viewer])
            _ = try await app.signIn("ben@example.com", [.viewer])
            let link = try await app.link("cat@example.com")
            let outcome = try await KithCommand(
                ["restored", "--yes"], ["KITH_DATABASE_URL": app.app.config.database.url]
            ).run()
            #expect(outcome.status == 0 && outcome.output.contains("2 sessions ended"), "\(outcome)")
            #expect(try await app.count("sessions WHERE ended_at IS NULL") == 0)
            #expect(try await app.post(link, as: nil, headers: app.browser()).status == 403)
            #expect(try await app.count("audit WHERE act = 'end_session' AND actor LIKE 'command:%'") == 1)
        }
    }

    @Test func `a provider needs all of its settings, and its secret is shown to nobody`() async throws {
        var environment = [
            "KITH_CONSOLE_ISSUER": "https://id.example.com", "KITH_CONSOLE_URL": TestApp.console,
            "KITH_CONSOLE_CLIENT_ID": "kith", "KITH_CONSOLE_CLIENT_SECRET": "a-secret",
            "KITH_CONSOLE_ROLES": "example.com=viewer",
        ]
        try Config(environment: environment).console.requireAll()
        #expect(!Config.shown(environment: environment).contains { $0.value.contains("a-secret") })
        for name in environment.keys where name != "KITH_CONSOLE_ROLES" {
            let value = environment.removeValue(forKey: name)
            let config = try Config(environment: environment)
            let error = #expect(throws: ConfigError.self) { try config.console.requireAll() }
            #expect(error?.description.contains(name) == true, "\(name)")
            environment[name] = value
        }
    }

    @Test func `no app takes the console's host, and the console takes no host of links`() async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            // Cookies know no ports.
            for host in ["\(TestApp.console):8443", TestApp.console] {
                let apps = AppliedApps(apps: ["thief": AppliedApp(hosts: [host], fields: [:])])
                #expect(apps.mistakes(over: app.app.config).contains { $0.contains("KITH_CONSOLE_URL") })
            }
            let thief = AppliedApp(hosts: [TestApp.console], fields: [:])
            let apps = AppliedApps(apps: ["thief": thief])
            _ = try await AppliedStore(db: app.db).write(apps, over: 0)
            _ = try await app.hosts.follow()
            #expect(try await app.get("/sign-in", headers: app.browser()).status == 200)
        }
        for (name, value) in [
            ("KITH_LINK_URL", "https://console.example.com"),
            ("KITH_LINK_DOMAINS", "https://console.example.com/l"),
            ("KITH_LINK_URL", "https://console.example.com:8443"),
            ("KITH_LINK_DOMAINS", "https://console.example.com:8443/l"),
        ] {
            let error = #expect(throws: ConfigError.self) {
                try Config(environment: [name: value, "KITH_CONSOLE_URL": "https://Console.example.com"])
            }
            #expect(error?.description.contains("KITH_CONSOLE_URL") == true, "\(name)")
        }
    }
}
