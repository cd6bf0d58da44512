// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// An app with an HTTPClient of its own: Scripts/check-consumer builds and runs it.
let package = Package(
    name: "AsyncHTTPClientConsumer",
    platforms: [.iOS(.v17), .macOS(.v14), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    dependencies: [
        // The name, because the identity of a path is otherwise that of the folder, which may be called anything.
        .package(name: "freshet", path: "../../..", traits: ["AsyncHTTPClient"]),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [
                .product(name: "FreshetAsyncHTTPClient", package: "freshet"),
                .product(name: "FreshetKit", package: "freshet"),
                .product(name: "FreshetTesting", package: "freshet"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
