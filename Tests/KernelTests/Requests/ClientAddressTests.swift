import Testing

@testable import Kernel
@testable import Web

/// The address of the caller, from the peer and `X-Forwarded-For`.
struct ClientAddressTests {
    private static let trusted = TrustedProxies(
        ranges: ["10.0.0.0/8", "2001:db8:1::/48"].compactMap { AddressRange($0) })

    @Test(arguments: [
        // The peer is not trusted, so its header does not count.
        ("203.0.113.9", ["198.51.100.1"], "203.0.113.9"),
        ("::ffff:203.0.113.9", ["198.51.100.1"], "203.0.113.9"),
        ("203.0.113.9", ["10.0.0.1"], "203.0.113.9"),
        // The peer is trusted: the right-most address that is not.
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("::ffff:10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["6.6.6.6, 198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["6.6.6.6", "198.51.100.1, 10.9.9.9"], "198.51.100.1"),
        ("10.0.0.1", ["6.6.6.6,198.51.100.1 ,10.9.9.9,\t10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", ["198.51.100.1:4711"], "198.51.100.1"),
        ("10.0.0.1", ["[2001:db8:2::7]:4711"], "2001:db8:2::7"),
        ("2001:db8:1::1", ["2001:db8:2::7"], "2001:db8:2::7"),
        ("10.0.0.1", ["::ffff:198.51.100.1"], "198.51.100.1"),
        // All are trusted: the farthest.
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", [], "10.0.0.1"),
        // An unreadable entry ends the search at the last known address.
        ("10.0.0.1", ["198.51.100.1, unknown"], "10.0.0.1"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1, , 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", ["198.51.100.256"], "10.0.0.1"),
        ("10.0.0.1", ["1.2.3.4.5", "%00"], "10.0.0.1"),
    ])
    func `the client is the right-most address that is not a trusted proxy's`(
        peer: String, forwarded: [String], client: String
    ) throws {
        let found = Self.trusted.client(peer: try #require(ClientAddress(peer)), forwarded: forwarded)
        #expect(found == ClientAddress(client))
    }

    @Test(arguments: [
        ("203.0.113.9", "203.0.113.9", true), ("203.0.113.9", "203.0.113.8", false),
        ("203.0.113.9", "::ffff:203.0.113.9", true),
        ("2001:db8::1", "2001:db8::ffff:1", true), ("2001:db8:0:1::1", "2001:db8::1", false),
    ])
    func `an IPv4 address counts by itself, an IPv6 address by its /64`(
        one: String, other: String, same: Bool
    ) throws {
        let (one, other) = (try #require(ClientAddress(one)), try #require(ClientAddress(other)))
        #expect((one.subject == other.subject) == same)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
        ("10.1.2.3/8", "10.9.9.9", true), ("10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "10.0.0.2", false),
        ("0.0.0.0/1", "1.2.3.4", true), ("fd00::/8", "fd12::1", true), ("fd00::/8", "fc12::1", false),
        ("::/1", "1.2.3.4", true), ("10.0.0.0/8", "::ffff:10.1.1.1", true),
        ("::ffff:10.0.0.0/104", "10.1.1.1", true), ("2001:db8::1/128", "2001:db8::2", false),
        ("2001:db8::/65", "2001:db8::8000:0:0:0", false), ("2001:db8::/65", "2001:db8::7000:0:0:0", true),
    ])
    func `a range contains addresses with its prefix`(range: String, address: String, holds: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(ClientAddress(address))) == holds)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/0", "::/0", "::/129", "10.0.0.0/8/8", "10.0.0/8",
        "10.0.0.0/+8", "10.0.0.0/ 8", "a.example", "fe80::1%eth0", "10.0.0.0/-1", "[::1]",
    ])
    func `an invalid range, or one of all addresses, is refused`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(arguments: [
        "127.0.0.1", "::1", "10.2.3.4", "172.31.0.1", "192.168.1.1", "100.64.0.1", "fd00::1", "fe80::1",
    ])
    func `a private address is not counted`(text: String) throws {
        #expect(try #require(ClientAddress(text)).isPrivate)
    }
}
