// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own: nobody who adds or builds Freshet builds this. Scripts/bench drives it.
let package = Package(
    name: "FreshetBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        // The name, because the identity of a path is otherwise that of the folder, which may be called anything.
        .package(name: "freshet", path: "..")
    ],
    targets: [
        .target(name: "LoadGenerator"),
        .executableTarget(
            name: "freshet-bench",
            dependencies: ["LoadGenerator", .product(name: "FreshetKit", package: "freshet")]
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
