// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own: nobody who adds or builds Freshet builds this. Scripts/fuzz drives it.
// `package` access ends at a package's border, so the sources are compiled from links. A module has the name that it has in
// Freshet, and of a server's module only the files that parse, so that the targets compile here as in Tests/FuzzTests.
// NIO and swift-crypto are not instrumented: the coverage that guides the fuzzer is Freshet's.
let instrumented: [SwiftSetting] = [
    .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library", "-enable-testing"])
]
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")

let package = Package(
    name: "FreshetFuzz",
    platforms: [.macOS(.v15)],
    products: [.library(name: "FreshetFuzzer", type: .static, targets: ["FreshetFuzzer"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .target(name: "CFreshetKeyring"),
        .target(name: "FreshetWire"),
        .target(name: "FreshetContract", dependencies: ["FreshetWire"]),
        .target(
            name: "FreshetKit",
            dependencies: [
                .target(name: "CFreshetKeyring", condition: .when(platforms: [.linux])), "FreshetContract",
                "FreshetWire",
            ],
            exclude: ["Contract/presets", "Contract/contract.schema.json"]
        ),
        .target(name: "FreshetOutbox", dependencies: ["FreshetKit", "FreshetWire"]),
        .target(
            name: "FreshetJWT",
            dependencies: [
                "FreshetContract", "FreshetWire", crypto, cryptoExtras,
            ],
            swiftSettings: [.define("Verification")]
        ),
        .target(name: "FreshetHTTPParser", dependencies: [nioCore]),
        .target(name: "FreshetEngine", dependencies: ["FreshetWire", crypto]),
        .target(
            name: "FreshetHTTP",
            dependencies: ["FreshetContract", "FreshetEngine", "FreshetWire", crypto, httpTypes, nioCore, nioWebSocket]
        ),
        .target(
            name: "FreshetIdentity",
            dependencies: [
                "FreshetContract", "FreshetEngine", "FreshetWire", crypto, cryptoExtras,
            ]
        ),
        .target(name: "FreshetMail", dependencies: ["FreshetWire"]),
        .target(
            name: "FreshetNIO",
            dependencies: ["FreshetKit", nioCore, nioWebSocket],
            swiftSettings: [.define("AsyncHTTPClient")]
        ),
        .target(name: "FreshetPages", dependencies: ["FreshetWire", crypto]),
        .target(
            name: "FreshetFuzzer",
            dependencies: [
                "FreshetContract", "FreshetEngine", "FreshetHTTP", "FreshetHTTPParser",
                "FreshetIdentity", "FreshetJWT", "FreshetKit", "FreshetMail", "FreshetNIO", "FreshetOutbox",
                "FreshetPages", "FreshetWire", crypto, httpTypes, nioCore, nioWebSocket,
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "CFreshetKeyring" {
    target.swiftSettings =
        (target.swiftSettings ?? []) + instrumented + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .treatAllWarnings(as: .error),
        ]
}
