// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// An app that logs with swift-log: Scripts/check-consumer builds and runs it.
let package = Package(
    name: "LoggingConsumer",
    platforms: [.iOS(.v17), .macOS(.v14), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    dependencies: [
        // The name, because the identity of a path is otherwise that of the folder, which may be called anything.
        .package(name: "freshet", path: "../../..", traits: ["Logging"]),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [
                .product(name: "FreshetKit", package: "freshet"),
                .product(name: "FreshetOutbox", package: "freshet"),
                .product(name: "FreshetLogging", package: "freshet"),
                .product(name: "FreshetTesting", package: "freshet"),
                .product(name: "Logging", package: "swift-log"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
