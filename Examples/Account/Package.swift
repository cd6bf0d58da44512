// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The name, because the identity of a path is otherwise that of the folder, which may be called anything.
let freshet = Package.Dependency.package(name: "freshet", path: "../..")
let kit = Target.Dependency.product(name: "FreshetKit", package: "freshet")
let outbox = Target.Dependency.product(name: "FreshetOutbox", package: "freshet")
let package = Package(
    name: "Account",
    platforms: [.iOS(.v17), .macOS(.v14)],
    dependencies: [freshet],
    targets: [
        .target(name: "AccountModel", dependencies: [kit, outbox]),
        .executableTarget(name: "AccountApp", dependencies: ["AccountModel", kit]),
    ],
    swiftLanguageModes: [.v6]
)
