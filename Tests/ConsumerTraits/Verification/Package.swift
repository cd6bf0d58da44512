// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A backend with an HTTP server and client of its own: Scripts/check-consumer builds and runs it.
let package = Package(
    name: "VerificationConsumer",
    platforms: [.macOS(.v14)],
    dependencies: [
        // The name, because the identity of a path is otherwise that of the folder, which may be called anything.
        .package(name: "freshet", path: "../../..", traits: ["Verification"])
    ],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [.product(name: "FreshetVerification", package: "freshet")]
        )
    ],
    swiftLanguageModes: [.v6]
)
