// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

#if canImport(UIKit) && canImport(BackgroundTasks) && !os(watchOS)
    guard let server = URL(string: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080") else { exit(64) }
    // snippet.show
    var configuration = SessionConfiguration()
    configuration.backgroundAssertion = .application  // a refresh is not cut off by a suspension
    configuration.networkMonitor = .system  // what failed offline is tried when the network is back
    let session = try Session(
        baseURL: server,
        store: .keychain(service: "com.example.app.session"),
        configuration: configuration
    )
    session.reloadWhenUnlocked()
    session.register(backgroundTask: "com.example.app.refresh")
    // snippet.hide
    session.scheduleBackgroundRefresh("com.example.app.refresh")
#else
    print("This system has no apps that come and go.")
#endif
