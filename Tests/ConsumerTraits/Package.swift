// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The programs of the packages in this folder and of Examples/Backend. They are built together, so that shared modules are compiled
// once. Scripts/check-consumer resolves each of these packages alone.
let kit = Target.Dependency.product(name: "FreshetKit", package: "freshet")
let testing = Target.Dependency.product(name: "FreshetTesting", package: "freshet")
let package = Package(
    name: "Consumers",
    platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    dependencies: [
        // The name, because the identity of a path is otherwise that of the folder, which may be called anything.
        .package(name: "freshet", path: "../..", traits: ["GRPC", "Hummingbird", "Logging"]),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        .executableTarget(
            name: "GRPCConsumer",
            dependencies: [
                .product(name: "FreshetGRPC", package: "freshet"),
                kit,
                testing,
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCInProcessTransport", package: "grpc-swift-2"),
            ],
            path: "GRPC/Sources/Consumer"
        ),
        .executableTarget(
            name: "LoggingConsumer",
            dependencies: [
                .product(name: "FreshetLogging", package: "freshet"),
                .product(name: "FreshetOutbox", package: "freshet"),
                kit,
                testing,
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Logging/Sources/Consumer"
        ),
        .executableTarget(
            name: "AsyncHTTPClientConsumer",
            dependencies: [
                .product(name: "FreshetAsyncHTTPClient", package: "freshet"),
                kit,
                testing,
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ],
            path: "AsyncHTTPClient/Sources/Consumer"
        ),
        .executableTarget(
            name: "Backend",
            dependencies: [
                .product(name: "FreshetHummingbird", package: "freshet"),
                .product(name: "FreshetVerification", package: "freshet"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            path: "Examples/Backend/Sources/Backend"
        ),
    ],
    swiftLanguageModes: [.v6]
)
