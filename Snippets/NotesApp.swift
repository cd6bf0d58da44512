// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

#if canImport(SwiftUI)
    import SwiftUI

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    // snippet.show
    /// Creates the session of the app: one for each store.
    func makeSession(for server: URL) throws -> AuthSession {
        try AuthSession(baseURL: server, store: .keychain(service: "com.example.notes"), configuration: .app())
    }

    struct RootView: View {
        @State var observed: ObservedSession
        let notes: URL

        var body: some View {
            switch observed.state {
            case .unknown: Text("One moment")  // the keychain is locked: show no sign-in
            case .signedOut(let reason?): SignInView(message: reason.description)
            case .signedOut(nil), .recordUnusable: SignInView(message: "")
            default: NotesView(session: observed.session, notes: notes)
            }
        }
    }

    struct NotesView: View {
        let session: AuthSession
        let notes: URL
        @State private var text = "Loading"

        var body: some View { Text(text).task { text = await load() } }

        func load() async -> String {
            do {
                // A valid token on every call: refreshed once for all callers, replayed once after a 401.
                let (data, response) = try await session.data(for: URLRequest(url: notes))
                return response.statusCode == 200
                    ? String(decoding: data, as: UTF8.self) : "Status \(response.statusCode)"
            } catch let error as SessionError {
                switch error {
                case .signedOut, .recordUnusable: return ""  // RootView shows the sign-in
                case .offline, .storeUnavailable: return "Try again later."  // the user stays signed in
                case .stepUpRequired: return "Sign in again to see this."
                case .refused(_, let message): return message ?? "Not allowed."
                default: return "Please report this: \(error)"  // the app, the contract or the server is wrong
                }
            } catch {
                return "Try again later."
            }
        }
    }
    // snippet.hide

    struct SignInView: View {
        let message: String
        var body: some View { Text(message) }
    }
#else
    print("This system has no SwiftUI.")
#endif
