// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// An app's own token manager, and what is left of it; Scripts/check-consumer builds it.
let package = Package(
    name: "BeforeAndAfter",
    platforms: [.iOS(.v17), .macOS(.v14)],
    // The name, because the identity of a path is otherwise that of the folder, which may be called anything.
    dependencies: [.package(name: "freshet", path: "../..")],
    targets: [
        .target(
            name: "BeforeAndAfter",
            dependencies: [.product(name: "FreshetKit", package: "freshet")],
            path: "Sources"
        )
    ],
    swiftLanguageModes: [.v6]
)
