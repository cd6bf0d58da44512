// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The calls of the rest of the app, the same before and after, so that no screen changes.
protocol MessagesAPI: Sendable {
    /// Called once at launch, before the first screen is chosen.
    func launch() async
    /// Whether the app shows its content, or else its sign-in.
    var isSignedIn: Bool { get async }
    /// Signs in with a password.
    func signIn(email: String, password: String) async throws
    /// Sends a message.
    func send(_ text: String) async throws
    /// Signs out on this device.
    func signOut() async
}

/// An answer that the app cannot use.
struct UnexpectedStatus: Error, Equatable {
    /// The answer's status.
    var status: Int
}

extension URLRequest {
    /// The request that sends a message.
    static func message(_ text: String, to server: URL) throws -> URLRequest {
        try post(["text": text], to: server.appending(path: "api/v1/messages"))
    }

    static func post(_ body: [String: String], to url: URL) throws -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(body)
        return request
    }
}
