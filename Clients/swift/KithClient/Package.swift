// swift-tools-version:5.9

import PackageDescription

let settings: [SwiftSetting] = [.enableExperimentalFeature("StrictConcurrency")]

let package = Package(
    name: "KithClient",
    platforms: [.iOS(.v15), .macOS(.v12)],
    products: [
        .library(name: "KithClient", targets: ["KithClient"]),
        .library(name: "KithDynamicLinks", targets: ["KithDynamicLinks"]),
    ],
    targets: [
        .target(name: "KithClient", swiftSettings: settings),
        .target(name: "KithDynamicLinks", dependencies: ["KithClient"], swiftSettings: settings),
        .target(name: "Sample", dependencies: ["KithClient"], path: "Sample", swiftSettings: settings),
        .testTarget(
            name: "KithClientTests", dependencies: ["KithClient", "KithDynamicLinks", "Sample"],
            swiftSettings: settings),
    ]
)
