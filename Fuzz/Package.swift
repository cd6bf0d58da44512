// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own: nobody who adds or builds Freshet builds this. Scripts/fuzz drives it.
// `package` access ends at a package's border, so the parser and the comparison are compiled from links to their folders.
// NIO is not instrumented: the coverage that guides the fuzzer is the parser's.
let instrumented: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"])]

let package = Package(
    name: "FreshetFuzz",
    platforms: [.macOS(.v15)],
    products: [.library(name: "HTTPParserFuzzer", type: .static, targets: ["HTTPParserFuzzer"])],
    dependencies: [.package(url: "https://github.com/apple/swift-nio", from: "2.101.2")],
    targets: [
        .target(
            name: "FreshetHTTPParser",
            dependencies: [.product(name: "NIOCore", package: "swift-nio")],
            swiftSettings: instrumented
        ),
        .target(
            name: "HTTPParserFuzzer",
            dependencies: [
                "FreshetHTTPParser",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: instrumented
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .treatAllWarnings(as: .error),
        ]
}
