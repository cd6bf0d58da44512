// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

#if canImport(UIKit) && canImport(BackgroundTasks) && !os(watchOS)
    guard let server = URL(string: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080") else { exit(64) }
    // snippet.show
    let session = try AuthSession(baseURL: server, store: .keychain(service: "com.example.app.session"))
    session.reloadWhenUnlocked()
    session.register(backgroundTask: "com.example.app.refresh")
    // When the app becomes active:
    session.enterForeground()
    // When it enters the background:
    session.enterBackground()
    session.scheduleBackgroundRefresh("com.example.app.refresh")
// snippet.hide
#else
    print("This system has no apps that come and go.")
#endif
