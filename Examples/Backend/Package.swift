// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A backend that accepts the access tokens of a Freshet server; Scripts/check-consumer builds and runs it.
let package = Package(
    name: "Backend",
    platforms: [.macOS(.v14)],
    dependencies: [
        // The name, because the identity of a path is otherwise that of the folder, which may be called anything.
        .package(name: "freshet", path: "../..", traits: ["Hummingbird"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "Backend",
            dependencies: [
                .product(name: "FreshetHummingbird", package: "freshet"),
                .product(name: "FreshetVerification", package: "freshet"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
