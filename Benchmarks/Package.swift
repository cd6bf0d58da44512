// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own: nobody who adds or builds Freshet builds this. Scripts/bench drives it.
let package = Package(
    name: "FreshetBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        // The name, because the identity of a path is otherwise that of the folder, which may be called anything.
        .package(name: "freshet", path: "..", traits: ["AsyncHTTPClient"]),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.90.0"),
    ],
    targets: [
        .target(name: "LoadGenerator"),
        .executableTarget(
            name: "freshet-bench",
            dependencies: [
                "LoadGenerator",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "FreshetAsyncHTTPClient", package: "freshet"),
                .product(name: "FreshetKit", package: "freshet"),
                .product(name: "FreshetOutbox", package: "freshet"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
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
