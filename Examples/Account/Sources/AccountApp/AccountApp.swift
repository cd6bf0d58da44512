// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(SwiftUI)
    import AccountModel
    import Foundation
    import FreshetKit
    import SwiftUI

    @main
    struct AccountApp: App {
        @State private var account = Result { try makeAccount() }

        var body: some Scene {
            WindowGroup {
                switch account {
                case .success(let account): RootView(account: account, observed: ObservedSession(account.session))
                case .failure(let error): Text("Please report this: \(error)")
                }
            }
        }

        /// The session is in the keychain, the outbox in a folder that the system does not delete.
        static func makeAccount() throws -> Account {
            guard let server = URL(string: "http://127.0.0.1:8080") else { throw URLError(.badURL) }
            let support = try FileManager.default.url(
                for: .applicationSupportDirectory,
                in: .userDomainMask,
                appropriateFor: nil,
                create: true
            )
            return try Account(
                server: server,
                store: .keychain(service: "com.example.account"),
                folder: support.appending(path: "com.example.account/outbox")
            )
        }
    }
#else
    @main
    enum AccountApp {
        static func main() { print("This system has no SwiftUI. The models are tested without it.") }
    }
#endif
