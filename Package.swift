// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
    // The queues of the kernel are generic, and specialized for the targets that use them only so.
    .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
]

// For `kith --version`. Not of `Context.gitInformation`, which SwiftPM keeps as it was when it last read this file.
let commit = (Context.environment["COMMIT"] ?? "").filter { $0.isLetter || $0.isNumber || "-.".contains($0) }

let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdTesting = Target.Dependency.product(name: "HummingbirdTesting", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let jwtKit = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioFoundationCompat = Target.Dependency.product(name: "NIOFoundationCompat", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let swiftASN1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

// What all tests of targets import: they call the whole product over HTTP.
let product: [Target.Dependency] = [
    "Charts", "Console", "Counts", "EmbeddedPostgres", "Events", "Graph", "Growth", "HTTPServer", "Imports",
    "Kernel",
    "Kith",
    "LinkTools",
    "Links", "Numbers", "Operations", "Pictures", "Postgres", "Rollout", "Schema", "TestSupport",
    "Visits", "Web", "Webhooks",
    crypto, httpTypes,
    hummingbird, hummingbirdTesting, jwtKit, logging, nioCore, nioEmbedded, nioHTTP1, nioHTTPTypes,
]

func tests(_ target: String) -> Target {
    .testTarget(name: "\(target)Tests", dependencies: product + ["AppTesting"], swiftSettings: settings)
}

let package = Package(
    name: "kith",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "kith", targets: ["KithCLI"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.0"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(
            name: "CQREncode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
        .systemLibrary(
            name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
        .systemLibrary(
            name: "CPangoCairo", pkgConfig: "pangocairo",
            providers: [.apt(["libpango1.0-dev"]), .brew(["pango"])]),
        .systemLibrary(
            name: "CTurboJPEG", pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"]), .brew(["jpeg-turbo"])]),
        .systemLibrary(name: "CMalloc"),
        .target(
            name: "CCommit",
            cSettings: [.define("KITH_COMMIT", to: "\"\(commit.isEmpty ? "unknown" : commit)\"")]),
        .target(
            name: "Postgres", dependencies: ["CLibPQ"], exclude: ["README.md"], swiftSettings: settings),
        .target(name: "EmbeddedPostgres", swiftSettings: settings),
        .target(
            name: "Schema", path: "sql", exclude: ["schema.sql"],
            resources: [.embedInCode("migrations"), .embedInCode("citus")], swiftSettings: settings),
        .target(
            name: "Web",
            dependencies: [
                "Postgres", asyncHTTPClient, crypto, httpTypes, hummingbird, logging, mustache, nioCore,
                nioFoundationCompat, nioHTTP1, nioPosix,
            ],
            resources: [.embedInCode("templates")], swiftSettings: settings),
        .target(
            name: "HTTPServer",
            dependencies: [
                "Web", httpTypes, hummingbird, hummingbirdCore, logging, nioCore, nioHTTP1, nioHTTPTypes,
                nioHTTPTypesHTTP1,
            ],
            swiftSettings: settings),
        .target(
            name: "Kernel",
            dependencies: [
                "Postgres", "Web", crypto, httpTypes, hummingbird, jwtKit, logging, nioCore,
                serviceLifecycle,
            ],
            swiftSettings: settings),
        .target(
            name: "Events",
            dependencies: [
                "Kernel", "Postgres", "Web", httpTypes, hummingbird, logging, nioCore, serviceLifecycle,
            ],
            swiftSettings: settings),
        .target(
            name: "Counts", dependencies: ["Kernel", "Postgres", "Web", logging, serviceLifecycle],
            swiftSettings: settings),
        .target(
            name: "Charts", dependencies: ["Web", httpTypes, hummingbird, nioCore], swiftSettings: settings),
        .target(name: "Imports", dependencies: ["Kernel", "Postgres", "Web"], swiftSettings: settings),
        .target(
            name: "Pictures",
            dependencies: ["Kernel", "Web", "CPNG", "CPangoCairo", "CTurboJPEG", httpTypes],
            swiftSettings: settings),
        .target(
            name: "Webhooks",
            dependencies: [
                "Events", "Kernel", "Postgres", "Web", crypto, httpTypes, hummingbird, logging,
                serviceLifecycle,
            ],
            swiftSettings: settings),
        .target(
            name: "Rollout",
            dependencies: [
                "Charts", "Counts", "Kernel", "Postgres", "Web", crypto, httpTypes, hummingbird, logging,
                nioCore,
                serviceLifecycle,
            ],
            swiftSettings: settings),
        .target(
            name: "Graph",
            dependencies: [
                "Events", "Kernel", "Postgres", "Rollout", "Web", crypto, httpTypes, hummingbird, logging,
                serviceLifecycle,
            ],
            swiftSettings: settings),
        .target(
            name: "Visits",
            dependencies: ["Counts", "Graph", "Kernel", "Postgres", "Web", crypto, hummingbird],
            swiftSettings: settings),
        .target(
            name: "Links",
            dependencies: [
                "Charts", "Counts", "Events", "Graph", "Imports", "Kernel", "LinkTools", "Pictures",
                "Postgres",
                "Rollout", "Visits", "Web", "CQREncode",
                crypto, httpTypes, hummingbird, logging, nioCore, serviceLifecycle,
            ],
            resources: [.embedInCode("languages")], swiftSettings: settings),
        .target(
            name: "Growth",
            dependencies: [
                "Charts", "Events", "Graph", "Imports", "Kernel", "Links", "Postgres", "Rollout", "Web",
                crypto,
                httpTypes, hummingbird, logging, serviceLifecycle, swiftASN1, x509,
            ],
            swiftSettings: settings),
        .target(
            name: "Numbers",
            dependencies: [
                "Charts", "Counts", "Events", "Graph", "Growth", "Kernel", "Links", "Postgres", "Rollout",
                "Visits", "Web",
                httpTypes,
                hummingbird,
            ],
            swiftSettings: settings),
        .target(
            name: "Console",
            dependencies: ["Kernel", "Web", crypto, httpTypes, hummingbird, logging, nioCore],
            resources: [.embedInCode("assets"), .embedInCode("languages")], swiftSettings: settings),
        .target(
            name: "LinkTools", dependencies: ["Kernel", "Pictures", "Web"], swiftSettings: settings),
        .target(
            name: "Operations",
            dependencies: [
                "Events", "Graph", "Imports", "Kernel", "Links", "Postgres", "Schema", "Web", httpTypes,
                hummingbird,
                nioCore,
            ],
            swiftSettings: settings),
        .target(
            name: "Kith",
            dependencies: [
                "CCommit", "CMalloc", "Console", "Counts", "Events", "Graph", "Growth", "HTTPServer",
                "Kernel", "LinkTools", "Links",
                "Numbers",
                "Operations", "Pictures", "Postgres", "Rollout", "Schema", "Visits", "Web", "Webhooks",
                configuration,
                httpTypes,
                hummingbird, hummingbirdCore, logging, nioCore, nioPosix, serviceLifecycle, unixSignals, yams,
            ],
            swiftSettings: settings,
            // It comes with the toolchains of swift.org, and links in a third of the time of the default. Nothing looks up
            // exported symbols; without them the binary is smaller.
            linkerSettings: [
                .unsafeFlags(
                    ["-use-ld=lld", "-Xlinker", "--no-export-dynamic"], .when(platforms: [.linux]))
            ]),
        .executableTarget(
            name: "KithCLI",
            dependencies: [
                "Console", "Counts", "EmbeddedPostgres", "Graph", "Growth", "Imports", "Kernel", "Kith",
                "LinkTools", "Links", "Numbers", "Operations", "Postgres", "Schema", "Web", "Webhooks",
                logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: ["EmbeddedPostgres", "Postgres"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .testTarget(
            name: "PostgresTests", dependencies: ["Postgres", "EmbeddedPostgres", "TestSupport"],
            swiftSettings: settings),
        .target(
            name: "AppTesting", dependencies: product, path: "Tests/AppTesting",
            swiftSettings: settings),
        tests("Web"), tests("HTTPServer"), tests("Kernel"), tests("Counts"), tests("Events"),
        tests("Charts"), tests("Console"), tests("Pictures"),
        tests("Webhooks"),
        tests("Rollout"), tests("Graph"), tests("Visits"), tests("Links"), tests("Growth"),
        tests("LinkTools"),
        tests("Numbers"),
        tests("Operations"), tests("Kith"),
    ]
)
