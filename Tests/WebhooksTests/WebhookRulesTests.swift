import Foundation
import NIOPosix
import Synchronization
import Testing

@testable import AppTesting
@testable import Events
@testable import Kernel
@testable import Web
@testable import Webhooks

/// Addresses, signatures and times, without a database.
struct WebhookRulesTests {
    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
        "168.63.129.16",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.1.1", "240.0.0.1",
        "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1",
        "64:ff9b:1::1", "100::1", "2001::1", "2001:10::1", "2001:db8::1", "2002:7f00:1::", "3fff::1",
        "fc00::1",
        "2a00:1450:4001::5efe:10.0.0.1", "2a00:1450:4001:0:200:5efe:a9fe:a9fe",
        "2a00:1450:4001::5efe:7f00:1",
        "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1", "localhost", "", "1.2.3", "0x7f.1", "8.8.8.8%eth0",
    ])
    func `an address that is not public is refused`(address: String) {
        #expect(!PublicAddress.allows(address, .isPublic))
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "2606:4700::1111", "2a00:1450:4001::200e",
        "2a00:1450:4001::5efe:8.8.8.8", "2a00:1450:4001::1:5efe:a00:1",
    ])
    func `a public address may be reached`(address: String) {
        #expect(PublicAddress.allows(address, .isPublic))
        #expect(PublicAddress.allows("127.0.0.1", .isAll))
    }

    @Test(arguments: [
        ("https://hooks.example.com/kith", "https://hooks.example.com/kith"),
        ("https://HOOKS.Example.com", "https://hooks.example.com/"),
        ("https://hooks.example.com:443/a?b=c", "https://hooks.example.com/a?b=c"),
        ("https://hooks.example.com./x", "https://hooks.example.com/x"),
        ("https://8.8.8.8/x", "https://8.8.8.8/x"),
    ])
    func `a URL is written in one form`(given: String, written: String) throws {
        #expect(try WebhookURL(given, reach: .isPublic).text == written)
    }

    @Test(arguments: [
        ("http://hooks.example.com/", WebhookURL.Fault.notHTTPS), ("https://hooks.example.com:8443/", .port),
        ("https://hooks.example.com:22/", .port), ("https://user@hooks.example.com/", .malformed),
        ("https://user:pw@hooks.example.com/", .malformed), ("https://hooks.example.com/#x", .malformed),
        ("https://[example.com]/", .malformed), ("https://2130706433/", .malformed),
        ("https://0177.1/", .malformed),
        ("https://0x7f.1/", .malformed), ("https://0x7f000001/", .malformed), ("https://127.1/", .malformed),
        ("https://1.2.3.4.5/", .malformed), ("https://0177.0.0.1/", .malformed),
        ("https://127.0.0.1/", .privateAddress), ("https://[::1]/", .privateAddress),
        ("https://[::ffff:127.0.0.1]/", .privateAddress), ("https://[::ffff:8.8.8.8]/", .privateAddress),
        ("https://[2a00:1450:4001::5efe:10.0.0.1]/", .privateAddress),
        ("ftp://hooks.example.com/", .malformed), ("hooks.example.com", .malformed), ("", .malformed),
        ("https://", .malformed), ("https:///x", .malformed),
        ("https://hooks.example.com:99999/", .malformed),
        ("https://a b.example.com/", .malformed), ("https://hooks.example.com\\@127.0.0.1/", .malformed),
    ])
    func `a URL that could lead elsewhere is refused`(given: String, fault: WebhookURL.Fault) {
        #expect(throws: fault) { try WebhookURL(given, reach: .isPublic) }
    }

    @Test func `an operator may allow http, ports and the own network, but no odd hosts`() throws {
        #expect(try WebhookURL("http://127.0.0.1:9000/x", reach: .isAll).text == "http://127.0.0.1:9000/x")
        #expect(try WebhookURL("http://[::1]:9000/x", reach: .isAll).host == "::1")
        #expect(try WebhookURL("http://receiver/", reach: .isAll).host == "receiver")
        #expect(throws: WebhookURL.Fault.malformed) { try WebhookURL("http://0x7f.1/", reach: .isAll) }
        #expect(throws: WebhookURL.Fault.malformed) { try WebhookURL("http://receiver:0/", reach: .isAll) }
    }

    /// A name that was public when it was checked, and then leads to this machine.
    @Test
    func `the address that was checked is the one that Kith connects to, and each attempt checks again`()
        async throws
    {
        let asked = Mutex(0)
        var world = World.live
        world.lookup = HostLookup { _ in
            let time = asked.withLock {
                $0 += 1; return $0
            }
            return time == 1 ? ["192.0.2.1"] : ["93.184.216.34", "127.0.0.1"]
        }
        var policy = WebhookPolicy()
        policy.timeout = .milliseconds(200)
        let sender = WebhookSender(
            url: "https://hooks.example.com/", secret: WebhookSecret(randomBytes: world.randomBytes),
            old: ([], .distantPast), policy: policy, world: world)
        let refused = WebhookSender.Outcome.failed(
            "its URL \(WebhookURL.Fault.privateAddress.rawValue)", asked: nil)
        for _ in 0..<3 { #expect(await sender.send(Self.event) == refused) }
        #expect(asked.withLock { $0 } == 3)
        await sender.close()
    }

    @Test func `a name that is looked up for ever holds no attempt up for longer than its time`() async throws
    {
        let asked = Mutex(0)
        let isFound = Mutex(false)
        var world = World.live
        world.lookup = HostLookup { _ in
            asked.withLock { $0 += 1 }
            // As the system's call, which nothing cancels.
            await Task.detached { try? await Task.sleep(for: .seconds(60)) }.value
            isFound.withLock { $0 = true }
            return []
        }
        var policy = WebhookPolicy()
        policy.timeout = .milliseconds(1200)
        let sender = WebhookSender(
            url: "https://hooks.example.com/", secret: WebhookSecret(randomBytes: world.randomBytes),
            old: ([], .distantPast), policy: policy, world: world)
        for _ in 0..<2 {
            #expect(
                await sender.send(Self.event)
                    == .failed("it has not answered in full within 1 s", asked: nil))
        }
        #expect(!isFound.withLock { $0 })
        #expect(asked.withLock { $0 } == 1)
        let task = Task { await sender.send(Self.event) }
        task.cancel()
        _ = await task.value
        await sender.close()
    }

    @Test func `names are looked up while all other threads that may wait do so`() async throws {
        let ended = Mutex(false)
        let gaveUp = Mutex(0)
        let pool = NIOThreadPool.singleton
        for _ in 0..<64 {
            pool.submit { _ in
                let until = ContinuousClock.now + .seconds(600)
                while !ended.withLock({ $0 }), ContinuousClock.now < until { usleep(10_000) }
                if !ended.withLock({ $0 }) { gaveUp.withLock { $0 += 1 } }
            }
        }
        #expect(try await HostLookup.live.addresses("127.0.0.1") == ["127.0.0.1"])
        #expect(gaveUp.withLock { $0 } == 0)
        ended.withLock { $0 = true }
    }

    private static let event = Event(
        id: 1, kind: .userRenamed, at: Date(), userID: User.ID(of: User.UID(stored: "u-ann")),
        user: .uid("u-ann"))

    @Test func `the vector of Standard Webhooks holds`() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let body = Array(#"{"test": 2432232314}"#.utf8)
        let signature = secret.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: body)
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect(
            secret.signed(
                "v1,AAAA \(signature)", id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330,
                body: body))
        #expect(
            !secret.signed(
                signature, id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_331, body: body))
        #expect(!secret.signed("v1a,\(signature) v1 v1,", id: "m", timestamp: 1, body: body))
        #expect(secret.text == "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        for bad in ["", "whsec_", "whsec_AAAA", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_!!!!"] {
            #expect(WebhookSecret(bad) == nil)
        }
    }

    @Test func `an event is tried for three days, ever more rarely, and later if the endpoint asks`() {
        let policy = WebhookPolicy()
        let first = Date(timeIntervalSince1970: 1_763_717_400)
        var (now, attempts) = (first, 1)
        var waits: [TimeInterval] = []
        while let next = policy.retry(after: attempts, firstFailed: first, now: now, asked: nil, jitter: 0.5)
        {
            waits.append(next.timeIntervalSince(now))
            (now, attempts) = (next, attempts + 1)
        }
        #expect(waits.map { $0.rounded() } == [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 73_495])
        #expect(now == first + 3 * 86_400)
        #expect(policy.retry(after: 1, firstFailed: first, now: first, asked: 120, jitter: 0) == first + 120)
        #expect(policy.probe(after: 5, now: first, asked: nil, jitter: 1) == first + 5)
        #expect(policy.probe(after: 7, now: first, asked: nil, jitter: 1) == first + 20)
        #expect(policy.probe(after: 99, now: first, asked: 86_400, jitter: 1) == first + 3600)
    }

    @Test func `a secret is sealed for its place, with its key`() throws {
        let key = try #require(SecretsKey(Data(repeating: 1, count: 32).base64EncodedString()))
        let other = try #require(SecretsKey(Data(repeating: 2, count: 32).base64EncodedString()))
        let sealed = try key.seal([1, 2, 3], for: "webhooks a")
        #expect(key.open(sealed, for: "webhooks a") == [1, 2, 3])
        #expect(key.open(sealed, for: "webhooks b") == nil)
        #expect(other.open(sealed, for: "webhooks a") == nil)
        #expect(key.open([1], for: "webhooks a") == nil)
        #expect(SecretsKey("AAAA") == nil)
    }

    @Test
    func `in a window each user's events go one by one, and the position follows the first that is not done`()
    {
        var window = DeliveryWindow(position: 0)
        func event(_ id: Int64, _ uid: String) -> Event {
            Event(
                id: id, kind: .userRenamed, at: Date(), userID: User.ID(of: User.UID(stored: uid)),
                user: .uid(User.UID(stored: uid)))
        }
        for one in [event(1, "a"), event(2, "a"), event(3, "b"), event(5, "a")] { window.add(one) }
        window.pass(6)
        let (first, second) = (window.take(), window.take())
        #expect([first?.id, second?.id] == [1, 3])
        #expect(window.take() == nil)
        if let second { window.finish(second) }
        #expect(window.position == 0)
        if let first { window.putBack(first) }
        #expect(window.take()?.id == 1)
        if let first { window.finish(first) }
        #expect(window.position == 1)
        #expect(window.take()?.id == 2)
        #expect(window.remove(User.ID(of: User.UID(stored: "a"))).map(\.id) == [2, 5])
        #expect(window.position == 6)
        #expect(window.span == 0)
        #expect(!window.holds(User.ID(of: User.UID(stored: "a"))))
        window.rest(at: Date(timeIntervalSince1970: 10 * 86_400))
        #expect(window.position == 9 * 86_400_000_000)
    }

    @Test func `a window moves on without events only if none is left, and to no later than a day ago`() {
        let (day, now) = (86_400_000_000 as Int64, Date(timeIntervalSince1970: 10 * 86_400))
        var busy = DeliveryWindow(position: 0)
        let event = Event(
            id: 1, kind: .userRenamed, at: Date(), userID: User.ID(of: User.UID(stored: "a")),
            user: .uid("a"))
        busy.add(event)
        busy.rest(at: now)
        #expect(busy.position == 0 && busy.readUpTo == 1)
        #expect(busy.take()?.id == 1)
        busy.rest(at: now)
        #expect(busy.position == 0, "it is under way")
        var recent = DeliveryWindow(position: 8 * day)
        recent.rest(at: now)
        #expect(recent.position == 8 * day)
        var old = DeliveryWindow(position: 8 * day - 1)
        old.rest(at: now)
        #expect(old.position == 9 * day && old.readUpTo == 9 * day)
    }
}
