import Crypto
import Foundation
package import Kernel
package import Web

/// The maker of a short link.
package struct ShortLinkMaker: Sendable {
    /// The id of their key, or `person:` and the address of a person. Nil if neither was needed.
    package let key: String?
    /// Whether the key is not a client key.
    package let isBackend: Bool

    package init(key: String?, isBackend: Bool) {
        self.key = key
        self.isBackend = isBackend
    }
}

/// Gives a deep link a code.
package struct ShortLinkCreation: Sendable {
    package let domains: [LinkDomain]
    package let store: ShortLinkStore
    package let secret: LinkSecretStore
    package let world: World

    package init(domains: [LinkDomain], store: ShortLinkStore, secret: LinkSecretStore, world: World) {
        self.domains = domains
        self.store = store
        self.secret = secret
        self.world = world
    }

    /// The kind of code that is wanted.
    package enum Suffix: Sendable {
        case unguessable, short
        case custom(ShortLink.Code)
    }

    /// Creates a link. Returns the row, and whether this call wrote it: the same link gets the same
    /// unguessable or custom code again. If a link with the code would end earlier than this call wants, it
    /// lasts as long as this call says, if the caller may decide that. If not, the new link gets another
    /// code. Throws `codeTaken`, `codeUnusable`, `targetIsLink` or `tooLargeForApps`.
    /// - Parameter key: makes a short code the same again.
    package func create(
        _ link: DeepLink, in domain: LinkDomain, _ suffix: Suffix, _ details: ShortLinkDetails,
        expiresIn: Int?, by maker: ShortLinkMaker, key: IdempotencyKey? = nil
    ) async throws -> (ShortLinkStore.Row, isNew: Bool) {
        let parameters = link.parameters
        guard maker.isBackend || parameters.values.reduce(0, { $0 + $1.utf8.count }) <= Self.mostBytesOfApps
        else { throw DeepLinkError.tooLargeForApps }
        try await store.requireNoLink(at: link.target, of: domains)
        func add(_ code: ShortLink.Code, _ kind: ShortLink.Kind) async throws -> ShortLinkStore.Row? {
            try await store.add(
                code, in: domain, kind, parameters, details, expiresIn: expiresIn, by: maker)
        }
        func found(_ code: ShortLink.Code) async throws -> ShortLinkStore.Row? {
            try await find(code, in: domain, parameters, lasting: expiresIn, by: maker)
        }
        switch suffix {
        case .custom(let code):
            guard domains.opens(code, in: domain) else { throw DeepLinkError.codeUnusable }
            if let (own, rest) = domains.having(link.target), own == domain, rest == "/\(code.text)" {
                throw DeepLinkError.targetIsLink(.link, link.target.text)
            }
            if let row = try await add(code, .custom) { return (row, true) }
            guard let row = try await found(code) else { throw DeepLinkError.codeTaken }
            return (row, false)
        case .unguessable:
            // A link whose target was changed keeps its code, and the code of a deleted link stays taken. So
            // the link as it was gets the next code.
            for attempt in UInt8.min..<16 {
                let code = try await unguessable(parameters, in: domain, attempt)
                if let row = try await add(code, .unguessable) { return (row, true) }
                if let row = try await found(code) { return (row, false) }
            }
            // After so many attempts no call looks further, and each gets a link of its own.
            while true {
                if let row = try await add(random(ShortLink.Code.unguessable), .unguessable) {
                    return (row, true)
                }
            }
        case .short:
            let repeated = try await codes(of: key, in: domain, by: maker)
            var length = try await shortLength(in: domain)
            while true {
                if let row = try await made(repeated, parameters, in: domain, found) { return (row, false) }
                let code = repeated?.code(0, length: length) ?? random(length)
                if let row = try await add(code, .short) { return (row, true) }
                length += 1
            }
        }
    }

    private func codes(
        of key: IdempotencyKey?, in domain: LinkDomain, by maker: ShortLinkMaker
    ) async throws -> RepeatedCodes? {
        guard let key else { return nil }
        return RepeatedCodes(key, in: domain, by: maker, secret: try await secret.key())
    }

    /// Returns the link that an earlier call with the key made. Nil if there is none, or none that may last
    /// as long as this call wants.
    private func made(
        _ repeated: RepeatedCodes?, _ parameters: [String: String], in domain: LinkDomain,
        _ found: (ShortLink.Code) async throws -> ShortLinkStore.Row?
    ) async throws -> ShortLinkStore.Row? {
        guard let codes = repeated?.all(0) else { return nil }
        let there = try await store.parameters(of: codes, in: domain)
        for code in codes where there[code] == parameters {
            if let row = try await found(code) { return row }
        }
        return nil
    }

    /// Creates all of some links, or none. Returns their codes: a custom one that leads there already is that
    /// link's, as is a short one of an earlier call with the key. Throws a `TakenCode` for one that leads
    /// elsewhere.
    func create(
        _ links: [(link: DeepLink, suffix: Suffix, details: ShortLinkDetails)], in domain: LinkDomain,
        by maker: ShortLinkMaker, key: IdempotencyKey? = nil
    ) async throws -> [ShortLink.Code] {
        let custom = links.map {
            if case .custom(let code) = $0.suffix { code } else { ShortLink.Code?.none }
        }
        let repeated = try await codes(of: key, in: domain, by: maker)
        let known = links.indices.map { place in
            custom[place].map { [$0] } ?? repeated?.all(place) ?? []
        }
        var length = try await shortLength(in: domain)
        while true {
            let there = try await store.parameters(of: known.flatMap(\.self), in: domain)
            var (codes, new) = ([ShortLink.Code](), [(place: Int, link: ShortLinkStore.NewLink)]())
            for (place, link) in links.enumerated() {
                let made = known[place].first { there[$0] == link.link.parameters }
                let code =
                    made ?? custom[place] ?? repeated?.code(place, length: length) ?? random(length)
                codes.append(code)
                if made == nil {
                    guard custom[place].flatMap({ there[$0] }) == nil else { throw TakenCode(place: place) }
                    let kind: ShortLink.Kind = custom[place] == nil ? .short : .custom
                    new.append((place, .init(code, kind, link.link.parameters, link.details)))
                }
            }
            guard let taken = try await store.add(new.map(\.link), in: domain, by: maker) else {
                return codes
            }
            // Somebody was faster, or the link was deleted: then its code stays taken.
            let place = new[taken].place
            if let code = custom[place], try await store.find(code, in: domain) == nil {
                throw TakenCode(place: place)
            }
            length += 1
        }
    }

    /// The code of one of several links leads elsewhere.
    struct TakenCode: Error { let place: Int }

    /// Returns the link with the code. Nil if the code leads elsewhere, or ends too early for this caller.
    private func find(
        _ code: ShortLink.Code, in domain: LinkDomain, _ parameters: [String: String],
        lasting expiresIn: Int?,
        by maker: ShortLinkMaker
    ) async throws -> ShortLinkStore.Row? {
        guard let row = try await store.find(code, in: domain), row.parameters == parameters else {
            return nil
        }
        let wanted = expiresIn.map { world.now() + Double($0) }
        guard let end = row.expiresAt, wanted.map({ end < $0 }) ?? true else { return row }
        guard maker.isBackend else { return try await store.keep(code, in: domain) }
        return try await store.extend(code, in: domain, to: parameters, until: wanted)
    }

    /// The most bytes of all values together of a link made by an app, whose key everybody has.
    static let mostBytesOfApps = 4096

    private func unguessable(
        _ parameters: [String: String], in domain: LinkDomain, _ attempt: UInt8
    ) async throws -> ShortLink.Code {
        let sorted = parameters.sorted { $0.key < $1.key }.flatMap {
            [Array($0.key.utf8), Array($0.value.utf8)]
        }
        let content = LengthPrefixed.write([Array(domain.text.utf8), [attempt]] + sorted)
        let seed = HMAC<SHA256>.authenticationCode(for: content, using: try await secret.key())
        // Some bytes become no letter, so take more than are needed.
        let bytes = HKDF<SHA256>.expand(
            pseudoRandomKey: seed, info: Array("code".utf8), outputByteCount: 3 * ShortLink.Code.unguessable)
        return ShortLink.Code(bytes: bytes.withUnsafeBytes { Array($0) }, length: ShortLink.Code.unguessable)
    }

    /// Returns the shortest length that is safe: of 500 guessed codes, none leads anywhere.
    private func shortLength(in domain: LinkDomain) async throws -> Int {
        var length = ShortLink.Code.shortest
        while try await store.taken((0..<500).map { _ in random(length) }, in: domain) > 0 { length += 1 }
        return length
    }

    private func random(_ length: Int) -> ShortLink.Code {
        ShortLink.Code(bytes: world.randomBytes(4 * length + 16), length: length)
    }
}
