// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// An app that uses Freshet: Scripts/check-consumer asserts that it resolves Freshet and nothing else.
let package = Package(
    name: "Consumer",
    platforms: [.iOS(.v17), .macOS(.v14), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    dependencies: [
        // The name, because the identity of a path is otherwise that of the folder, which may be called anything.
        .package(name: "freshet", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [
                .product(name: "FreshetKit", package: "freshet"),
                .product(name: "FreshetOutbox", package: "freshet"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
