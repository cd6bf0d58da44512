// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "freshet",
    platforms: [.iOS(.v17), .macOS(.v14), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        // Whatever a declared product reaches, every app that adds Freshet resolves (Scripts/check-consumer guards it):
        // server and tool are targets, not products.
        .library(name: "FreshetKit", targets: ["FreshetKit"]),
        .library(name: "FreshetOutbox", targets: ["FreshetOutbox"]),
        .library(name: "FreshetTesting", targets: ["FreshetTesting"]),
        // Empty, and without a dependency, unless the app switches their trait on.
        .library(name: "FreshetAsyncHTTPClient", targets: ["FreshetAsyncHTTPClient"]),
        .library(name: "FreshetGRPC", targets: ["FreshetGRPC"]),
        .library(name: "FreshetLogging", targets: ["FreshetLogging"]),
        // For backends.
        .library(name: "FreshetVerification", targets: ["FreshetVerification"]),
        .library(name: "FreshetHummingbird", targets: ["FreshetHummingbird"]),
    ],
    traits: [
        .trait(name: "AsyncHTTPClient", description: "FreshetAsyncHTTPClient: requests and WebSockets over SwiftNIO"),
        .trait(name: "GRPC", description: "FreshetGRPC: a session's token on the calls of a grpc-swift client"),
        .trait(name: "Logging", description: "FreshetLogging: a session's events as lines of swift-log"),
        .trait(name: "Verification", description: "FreshetVerification: a backend verifies access tokens"),
        .trait(
            name: "Hummingbird",
            description: "FreshetHummingbird: FreshetVerification as middleware, with requests by AsyncHTTPClient",
            enabledTraits: ["AsyncHTTPClient", "Verification"]
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        .target(name: "FreshetWire"),
        // A header; the kernel's key calls cannot be made from Swift.
        .target(name: "CFreshetKeyring"),
        // The server's mail leaves through libcurl.
        .systemLibrary(
            name: "CCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]
        ),
        .systemLibrary(
            name: "CLibpq",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
        ),
        .target(name: "FreshetContract", dependencies: ["FreshetWire"]),
        // A contract's contradictions, and what it says in words: for the tool, which apps do not need.
        .target(name: "FreshetContractLint", dependencies: ["FreshetContract"]),
        .target(
            name: "FreshetKit",
            dependencies: [
                .target(name: "CFreshetKeyring", condition: .when(platforms: [.linux])),
                "FreshetContract",
                "FreshetWire",
            ],
            // Scripts/embed-presets makes source of them.
            exclude: ["Contract/presets", "Contract/contract.schema.json"]
        ),
        .target(name: "FreshetOutbox", dependencies: ["FreshetKit", "FreshetWire"]),
        .target(name: "FreshetTesting", dependencies: ["FreshetKit", "FreshetWire"]),
        // What depends on a trait is a product of another package: of a conditional target SwiftPM resolves everything.
        .target(
            name: "FreshetAsyncHTTPClient",
            dependencies: [
                "FreshetKit",
                "FreshetWire",
                .product(
                    name: "AsyncHTTPClient",
                    package: "async-http-client",
                    condition: .when(traits: ["AsyncHTTPClient"])
                ),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOWebSocket", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
            ]
        ),
        .target(
            name: "FreshetGRPC",
            dependencies: [
                "FreshetKit",
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["GRPC"])),
            ]
        ),
        .target(
            name: "FreshetLogging",
            dependencies: [
                "FreshetKit",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
            ]
        ),
        .target(
            name: "FreshetNIO",
            dependencies: [
                "FreshetKit",
                "FreshetWire",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            // Its folder AsyncHTTPClient is that target's source by a link, whatever the trait says.
            swiftSettings: [.define("AsyncHTTPClient")]
        ),
        .target(
            name: "FreshetMetrics",
            dependencies: [
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ]
        ),
        .target(
            name: "FreshetEngine",
            dependencies: [
                "FreshetWire",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        // The rules of both sides on millions of devices that are a few numbers each.
        .target(
            name: "FreshetSimulation",
            dependencies: ["FreshetCommandLine", "FreshetEngine", "FreshetKit", "SeededRandom"]
        ),
        // SplitMix64, for simulations whose output depends on nothing but their seed.
        .target(name: "SeededRandom"),
        // A volume in memory that loses at a power failure what POSIX permits.
        .target(name: "SimulatedFiles", dependencies: ["FreshetKit", "SeededRandom"]),
        // Decisions as lines that Models/trace.py checks.
        .target(
            name: "ProtocolTrace",
            dependencies: ["FreshetEngine", "FreshetWire", .product(name: "Crypto", package: "swift-crypto")]
        ),
        // Replaces libc's clocks and random numbers: only programs that simulate may link it.
        .target(name: "CFreshetSimulator"),
        .target(
            name: "FreshetSimulator",
            dependencies: [
                .target(name: "CFreshetSimulator", condition: .when(platforms: [.linux])),
                "FreshetContract",
                "FreshetContractServer",
                "FreshetDatabase",
                "FreshetEngine",
                "FreshetHTTP",
                "FreshetIdentity",
                "FreshetJWT",
                "FreshetKit",
                "FreshetOutbox",
                "FreshetPages",
                "FreshetServer",
                "FreshetWire",
                "ProtocolTrace",
                "SeededRandom",
                "SimulatedFiles",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        // For backends; without an HTTP server. With the trait AsyncHTTPClient it has a client for the issuer's keys.
        .target(
            name: "FreshetVerification",
            dependencies: [
                "FreshetContract",
                "FreshetWire",
                .product(
                    name: "AsyncHTTPClient",
                    package: "async-http-client",
                    condition: .when(traits: ["AsyncHTTPClient"])
                ),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Verification"])),
                .product(name: "CryptoExtras", package: "swift-crypto", condition: .when(traits: ["Verification"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["AsyncHTTPClient"])),
            ]
        ),
        .target(
            name: "FreshetHummingbird",
            dependencies: [
                "FreshetContract",
                "FreshetVerification",
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Hummingbird"])),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Hummingbird"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Hummingbird"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Hummingbird"])),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Hummingbird"])
                ),
            ]
        ),
        .target(
            name: "FreshetJWT",
            dependencies: [
                "FreshetContract",
                "FreshetWire",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            // Its folder FreshetVerification is that target's source by a link, whatever the traits say.
            swiftSettings: [.define("AsyncHTTPClient"), .define("Verification")]
        ),
        // What the server and the tool ask of the operating system.
        .target(
            name: "FreshetSystem",
            dependencies: [
                "FreshetContract",
                "FreshetWire",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ]
        ),
        // Parses what the server answers all day; Fuzz/ compiles it, too.
        .target(name: "FreshetHTTPParser", dependencies: [.product(name: "NIOCore", package: "swift-nio")]),
        // Every table, on SQLite and on PostgreSQL; the only target that imports GRDB and libpq.
        .target(
            name: "FreshetDatabase",
            dependencies: [
                "CLibpq",
                "FreshetContract",
                "FreshetEngine",
                "FreshetMetrics",
                "FreshetSystem",
                "FreshetWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        // The queue of mail and its delivery; the only target that imports libcurl.
        .target(
            name: "FreshetMail",
            dependencies: [
                "CCurl",
                "FreshetDatabase",
                "FreshetEngine",
                "FreshetMetrics",
                "FreshetSystem",
                "FreshetWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        // The server's domain: sessions, sign-in, keys, rate limits. No HTTP server.
        .target(
            name: "FreshetIdentity",
            dependencies: [
                "FreshetContract",
                "FreshetDatabase",
                "FreshetEngine",
                "FreshetJWT",
                "FreshetMail",
                "FreshetMetrics",
                "FreshetSystem",
                "FreshetWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        // Connections, the fast path, routing, WebSockets and TLS.
        .target(
            name: "FreshetHTTP",
            dependencies: [
                "FreshetContract",
                "FreshetDatabase",
                "FreshetEngine",
                "FreshetHTTPParser",
                "FreshetIdentity",
                "FreshetMetrics",
                "FreshetSystem",
                "FreshetWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        // Serves an app's contract.
        .target(
            name: "FreshetContractServer",
            dependencies: [
                "FreshetContract",
                "FreshetDatabase",
                "FreshetEngine",
                "FreshetHTTP",
                "FreshetIdentity",
                "FreshetSystem",
                "FreshetWire",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        // Pages for users and operators, and the history of metrics; the only target that imports Mustache.
        .target(
            name: "FreshetPages",
            dependencies: [
                "FreshetContract",
                "FreshetDatabase",
                "FreshetEngine",
                "FreshetHTTP",
                "FreshetIdentity",
                "FreshetMail",
                "FreshetMetrics",
                "FreshetSystem",
                "FreshetWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            // Scripts/embed-pages makes source of them.
            exclude: ["Templates"]
        ),
        // Configuration, assembly and the native and OAuth routes.
        .target(
            name: "FreshetServer",
            dependencies: [
                "FreshetContract",
                "FreshetContractServer",
                "FreshetDatabase",
                "FreshetEngine",
                "FreshetHTTP",
                "FreshetIdentity",
                "FreshetMail",
                "FreshetMetrics",
                "FreshetPages",
                "FreshetSystem",
                "FreshetWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        // Fakes of five apps' backends, for the tool and the tests.
        .target(name: "FreshetAppBackends", dependencies: ["FreshetKit", "FreshetTesting", "FreshetWire"]),
        .target(
            name: "FreshetBackends",
            dependencies: [
                "FreshetAppBackends",
                "FreshetTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        // What the programs share: options and output.
        .target(
            name: "FreshetCommandLine",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "freshet-simulator",
            dependencies: [
                "FreshetSimulator",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "freshet-simulate",
            dependencies: [
                "FreshetCommandLine",
                "FreshetKit",
                "FreshetSimulation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "freshet",
            dependencies: [
                "FreshetBackends",
                "FreshetCommandLine",
                "FreshetContract",
                "FreshetContractServer",
                "FreshetDatabase",
                "FreshetContractLint",
                "FreshetEngine",
                "FreshetHTTP",
                "FreshetIdentity",
                "FreshetJWT",
                "FreshetKit",
                "FreshetMail",
                "FreshetMetrics",
                "FreshetNIO",
                "FreshetPages",
                "FreshetServer",
                "FreshetSystem",
                "FreshetWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        .testTarget(name: "FreshetWireTests", dependencies: ["FreshetWire"]),
        .target(name: "ContractFixtures", dependencies: ["FreshetContract"], path: "Tests/ContractFixtures"),
        .testTarget(
            name: "FreshetContractTests",
            dependencies: ["ContractFixtures", "FreshetContract", "FreshetContractLint"]
        ),
        .testTarget(
            name: "FreshetContractLintTests",
            dependencies: ["ContractFixtures", "FreshetContract", "FreshetContractLint"]
        ),
        // What tests of sessions share.
        .target(
            name: "SessionFixtures",
            dependencies: ["FreshetKit", "FreshetTesting", "FreshetWire"],
            path: "Tests/SessionFixtures"
        ),
        .testTarget(
            name: "FreshetKitTests",
            dependencies: [
                "FreshetAppBackends", "FreshetContract", "FreshetKit", "FreshetOutbox", "FreshetTesting", "FreshetWire",
                "SeededRandom", "SessionFixtures", "SimulatedFiles", "StoreWorker",
            ]
        ),
        .testTarget(
            name: "FreshetOutboxTests",
            dependencies: [
                "FreshetContract", "FreshetKit", "FreshetOutbox", "FreshetTesting", "FreshetWire", "OutboxWorker",
                "SeededRandom", "SessionFixtures", "SimulatedFiles",
            ]
        ),
        .testTarget(
            name: "FreshetMetricsTests",
            dependencies: ["FreshetMetrics", .product(name: "CoreMetrics", package: "swift-metrics")]
        ),
        // RFC 6455's cases, for the WebSocket of the server and that of the client.
        .target(name: "WebSocketCases", dependencies: ["FreshetWire"], path: "Tests/WebSocketCases"),
        .testTarget(
            name: "FreshetNIOTests",
            dependencies: [
                "FreshetKit",
                "FreshetNIO",
                "FreshetTesting",
                "SessionFixtures",
                "WebSocketCases",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ]
        ),
        // Programs for tests to kill.
        .executableTarget(
            name: "OutboxWorker",
            dependencies: ["FreshetKit", "FreshetOutbox"],
            path: "Tests/OutboxWorker"
        ),
        .target(
            name: "PostgresCluster",
            dependencies: ["FreshetSystem", .product(name: "NIOConcurrencyHelpers", package: "swift-nio")],
            path: "Tests/PostgresCluster"
        ),
        .target(
            name: "SMTPRelay",
            dependencies: [
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/SMTPRelay"
        ),
        .executableTarget(
            name: "StoreWorker",
            dependencies: [
                .target(name: "CFreshetKeyring", condition: .when(platforms: [.linux])),
                "FreshetKit",
                "FreshetTesting",
            ],
            path: "Tests/StoreWorker"
        ),
        // A process that shares a store with the stress test, and what both know.
        .executableTarget(
            name: "StressWorker",
            dependencies: ["FreshetKit", "FreshetNIO", "SeededRandom"],
            path: "Tests/StressWorker"
        ),
        .testTarget(
            name: "StressTests",
            dependencies: [
                "FreshetKit",
                "FreshetNIO",
                "FreshetOutbox",
                "FreshetSystem",
                "FreshetTesting",
                "StressWorker",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            // Its folder FreshetGRPC is that target's source by a link: the interceptor without the trait.
            swiftSettings: [.define("GRPC")]
        ),
        .testTarget(name: "FreshetTestingTests", dependencies: ["FreshetKit", "FreshetTesting"]),
        .testTarget(
            name: "FreshetAppBackendsTests",
            dependencies: ["FreshetAppBackends", "FreshetKit", "FreshetTesting"]
        ),
        .testTarget(
            name: "FreshetBackendsTests",
            dependencies: [
                "FreshetAppBackends",
                "FreshetBackends",
                "FreshetKit",
                "FreshetNIO",
                "FreshetTesting",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .testTarget(
            name: "FreshetEngineTests",
            dependencies: [
                "FreshetEngine", "FreshetWire", "ProtocolTrace", "SeededRandom",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "FreshetHTTPParserTests",
            dependencies: [
                "FreshetHTTPParser",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
        ),
        // Replays the inputs of the fuzzer in Fuzz/, which compiles the folder Targets, too.
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "FreshetContract",
                "FreshetEngine",
                "FreshetHTTP",
                "FreshetHTTPParser",
                "FreshetIdentity",
                "FreshetJWT",
                "FreshetKit",
                "FreshetMail",
                "FreshetNIO",
                "FreshetOutbox",
                "FreshetPages",
                "FreshetWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "FreshetSystemTests",
            dependencies: [
                "FreshetSystem",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ]
        ),
        // The tests start it, and do not link it: the simulator's executor needs a process of its own.
        .executableTarget(
            name: "SimulatorWorker",
            dependencies: ["FreshetDatabase", "FreshetKit", "FreshetSimulator"],
            path: "Tests/SimulatorWorker"
        ),
        .testTarget(name: "FreshetSimulatorTests", dependencies: ["FreshetSimulator", "FreshetSystem"]),
        .testTarget(
            name: "FreshetSimulationTests",
            dependencies: [
                "FreshetContract",
                "FreshetEngine",
                "FreshetKit",
                "FreshetSimulation",
                "FreshetSystem",
                "SeededRandom",
                "freshet-simulate",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .testTarget(
            name: "FreshetVerificationTests",
            dependencies: [
                "FreshetContract",
                "FreshetJWT",
                "FreshetWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            // Its folder FreshetHummingbird is that target's source by a link: the middleware without the trait.
            swiftSettings: [.define("FreshetJWT"), .define("Hummingbird")]
        ),
        // What tests of the server's modules share: databases, clocks and a log; and the keys of operators and of Apple.
        .target(
            name: "ServerFixtures",
            dependencies: [
                "FreshetDatabase",
                "FreshetEngine",
                "FreshetSystem",
                "PostgresCluster",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ],
            path: "Tests/ServerFixtures"
        ),
        .target(
            name: "IdentityFixtures",
            dependencies: [
                "FreshetEngine",
                "FreshetIdentity",
                "FreshetSystem",
                "FreshetWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ],
            path: "Tests/IdentityFixtures"
        ),
        // A test target depends on its module and those below, so that an edit above does not rebuild it.
        .testTarget(
            name: "FreshetDatabaseTests",
            dependencies: [
                "FreshetDatabase",
                "FreshetEngine",
                "FreshetMetrics",
                "FreshetWire",
                "PostgresCluster",
                "ServerFixtures",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .testTarget(
            name: "FreshetMailTests",
            dependencies: [
                "FreshetDatabase",
                "FreshetEngine",
                "FreshetMail",
                "FreshetMetrics",
                "FreshetSystem",
                "FreshetWire",
                "SMTPRelay",
                "ServerFixtures",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "FreshetIdentityTests",
            dependencies: [
                "FreshetDatabase",
                "FreshetEngine",
                "FreshetIdentity",
                "FreshetJWT",
                "FreshetMetrics",
                "FreshetSystem",
                "FreshetWire",
                "IdentityFixtures",
                "PostgresCluster",
                "ServerFixtures",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "FreshetHTTPTests",
            dependencies: [
                "FreshetContract",
                "FreshetDatabase",
                "FreshetEngine",
                "FreshetHTTP",
                "FreshetHTTPParser",
                "FreshetIdentity",
                "FreshetSystem",
                "FreshetWire",
                "ServerFixtures",
                "WebSocketCases",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "FreshetContractServerTests",
            dependencies: [
                "ContractFixtures",
                "FreshetContract",
                "FreshetContractServer",
                "FreshetEngine",
                "FreshetWire",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]
        ),
        .testTarget(name: "FreshetPagesTests", dependencies: ["FreshetEngine", "FreshetPages", "FreshetWire"]),
        // Whole servers, and requests to them.
        .testTarget(
            name: "FreshetServerTests",
            dependencies: [
                "ContractFixtures",
                "FreshetAppBackends",
                "FreshetContract",
                "FreshetContractServer",
                "FreshetDatabase",
                "FreshetEngine",
                "FreshetHTTP",
                "FreshetIdentity",
                "FreshetJWT",
                "FreshetMail",
                "FreshetMetrics",
                "FreshetPages",
                "FreshetServer",
                "FreshetSystem",
                "FreshetTesting",
                "FreshetWire",
                "IdentityFixtures",
                "PostgresCluster",
                "SMTPRelay",
                "ServerFixtures",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        // An app and its tests, as a team outside of this package writes them: nothing of `package` access.
        .target(name: "Notes", dependencies: ["FreshetKit"], path: "Examples/Notes/Sources", packageAccess: false),
        .testTarget(
            name: "NotesTests",
            dependencies: ["FreshetKit", "FreshetOutbox", "FreshetTesting", "Notes"],
            path: "Examples/Notes/Tests",
            packageAccess: false
        ),
        // The sources of Examples/Account and Examples/BeforeAndAfter, packages of their own; EndToEndTests runs them.
        .target(
            name: "AccountModel",
            dependencies: ["FreshetKit", "FreshetOutbox"],
            path: "Examples/Account/Sources/AccountModel",
            packageAccess: false
        ),
        .target(
            name: "BeforeAndAfter",
            dependencies: ["FreshetKit"],
            path: "Examples/BeforeAndAfter/Sources",
            packageAccess: false
        ),
        .testTarget(name: "RealBackendTests", dependencies: ["FreshetKit", "FreshetTesting"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "AccountModel",
                "BeforeAndAfter",
                "FreshetCommandLine",
                "FreshetContract",
                "FreshetContractServer",
                "FreshetDatabase",
                "FreshetEngine",
                "FreshetHTTP",
                "FreshetIdentity",
                "FreshetKit",
                "FreshetMail",
                "FreshetNIO",
                "FreshetPages",
                "FreshetOutbox",
                "FreshetServer",
                "FreshetSystem",
                "FreshetTesting",
                "FreshetWire",
                "PostgresCluster",
                "SMTPRelay",
                "ServerFixtures",
                "StoreWorker",
                "freshet",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["Upgrade/Fixtures"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

/// The folders of `Sources`, and the targets that they hold.
let folders: [String: [String]] = [
    "Shared": ["FreshetContract", "FreshetContractLint", "FreshetWire"],
    "Client": [
        "CFreshetKeyring", "FreshetAsyncHTTPClient", "FreshetGRPC", "FreshetKit", "FreshetLogging", "FreshetNIO",
        "FreshetOutbox",
    ],
    "Server": [
        "CCurl", "CLibpq", "FreshetContractServer", "FreshetDatabase", "FreshetEngine", "FreshetHTTP",
        "FreshetHTTPParser",
        "FreshetIdentity", "FreshetMail", "FreshetMetrics", "FreshetPages", "FreshetServer", "FreshetSystem",
    ],
    "ResourceServer": ["FreshetHummingbird", "FreshetJWT", "FreshetVerification"],
    "Simulation": ["CFreshetSimulator", "FreshetSimulator", "ProtocolTrace", "freshet-simulator"],
    "Testing": ["FreshetAppBackends", "FreshetBackends", "FreshetTesting", "SeededRandom", "SimulatedFiles"],
    "Tool": ["FreshetCommandLine", "FreshetSimulation", "freshet", "freshet-simulate"],
]

for (folder, names) in folders {
    for target in package.targets where names.contains(target.name) { target.path = "Sources/\(folder)/\(target.name)" }
}

for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .treatAllWarnings(as: .error),
        ]
}

// The programs and tests are linked by lld, in less than half of gold's time. An app links none of these targets, and SwiftPM refuses
// unsafe flags in those that it does link.
for target in package.targets where [.executable, .test].contains(target.type) {
    target.linkerSettings =
        (target.linkerSettings ?? []) + [
            .unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux], configuration: .debug))
        ]
}
