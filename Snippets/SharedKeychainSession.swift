// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

#if canImport(Security)
    guard let server = URL(string: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080") else { exit(64) }
    // An app asks FileManager for containerURL(forSecurityApplicationGroupIdentifier:).
    let container = FileManager.default.temporaryDirectory
    // snippet.show
    let store = KeychainStore(
        service: "com.example.app.session",
        accessGroup: "ABCDE12345.com.example.shared",
        folder: container.appending(path: "Freshet"),
        keepsSessionOverReinstall: false
    )
    let session = try AuthSession(contract: .melchat, baseURL: server, store: store)
    // snippet.hide
    print(session.state)
#else
    print("This system has no keychain.")
#endif
