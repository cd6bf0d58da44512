// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

#if canImport(SwiftUI)
    import SwiftUI

    // snippet.show
    struct ExampleApp: App {
        @State private var observed = ObservedSession(Model.session)

        var body: some Scene {
            WindowGroup {
                switch observed.state {
                case .unknown: Text("One moment")  // the keychain is locked: never a login
                case .signedOut, .recordUnusable: Text("Sign in")
                default: Text("Signed in")
                }
            }
            .keepsTokenFresh(observed.session)
        }
    }
    // snippet.hide

    enum Model {
        static let session: AuthSession = {
            guard let server = URL(string: "http://127.0.0.1:8080"),
                let session = try? AuthSession(baseURL: server, store: InMemoryStore())
            else { fatalError("the address is no address") }
            return session
        }()
    }
#else
    print("This system has no SwiftUI.")
#endif
