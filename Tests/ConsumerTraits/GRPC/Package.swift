// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// An app with a gRPC client: Scripts/check-consumer builds and runs it.
let package = Package(
    name: "GRPCConsumer",
    platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    dependencies: [
        // The name, because the identity of a path is otherwise that of the folder, which may be called anything.
        .package(name: "freshet", path: "../../..", traits: ["GRPC"]),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
    ],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [
                .product(name: "FreshetGRPC", package: "freshet"),
                .product(name: "FreshetKit", package: "freshet"),
                .product(name: "FreshetTesting", package: "freshet"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCInProcessTransport", package: "grpc-swift-2"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
