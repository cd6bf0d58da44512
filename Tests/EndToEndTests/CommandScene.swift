// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetWire
import Testing

@testable import freshet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server with accounts, and a profile of the tool that is signed in to one of them.
struct CommandScene: Sendable {
    static let email = "ann@example.com"
    static let password = "correct horse\n"

    let world: TestEnvironment
    /// An access token of the profile, on a line.
    let token: String
    /// A refresh token of another session, on a line.
    let refreshToken: String
    /// The options of `verify` for tokens of the server.
    let rules: [String]

    init(_ world: TestEnvironment) async throws {
        self.world = world
        _ = try await Self.grant(world, "signup", Self.email)
        _ = try await Self.grant(world, "signup", "bob@example.com")
        _ = try await Self.grant(world, "signup", "cob@example.com")
        try await Self.signIn(world)
        token = try await world.tool(["token"]).output
        refreshToken = try await Self.grant(world, "login/password", Self.email) + "\n"
        let keys = try await URLSessionTransport.shared.data(for: world.request(".well-known/jwks.json")).0
        let file = try world.file("jwks.json", String(decoding: keys, as: UTF8.self))
        rules = ["--jwks", file, "--issuer", "http://localhost", "--audience", "api"]
    }

    var server: String { get throws { try world.address.absoluteString } }
    var data: [String] { ["--data", world.folder.appending(path: "data").path] }

    /// Signs the profile in.
    func signIn() async throws -> [String] {
        // The server limits attempts to sign in.
        world.advanceServer(by: .seconds(3600))
        try await Self.signIn(world)
        return []
    }

    /// Returns the ID of a new session of the account.
    func otherSession() async throws -> String {
        try RefreshToken(try await Self.grant(world, "login/password", Self.email)).session.description
    }

    /// Copies the database, and returns the path of the copy.
    func backup() async throws -> String {
        let file = "\(world.folder.path)/\(UUID()).sqlite"
        _ = try await world.tool(["backup", file] + data)
        return file
    }

    /// Returns the address of a new account.
    func otherUser() async throws -> String {
        let email = "\(UUID().uuidString.lowercased())@example.com"
        _ = try await Self.grant(world, "signup", email)
        return email
    }

    /// Returns the number of a new key that signs access tokens.
    func newKey() async throws -> String {
        let key = try await world.tool(["keys", "add", "es256", "--json"] + data)
        return "\(try #require(key.object?["number"] as? Int))"
    }

    /// Returns the options of the data folder, in which no change of the keys is planned.
    func withoutPlannedKey() async throws -> [String] {
        let list = try await world.tool(["keys", "list", "--json"] + data)
        let keys = try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [[String: Any]]
        for key in keys ?? [] where key["state"] as? String == "in-use-from" {
            let number = try #require(key["number"] as? Int)
            let promoted = try await world.tool(["keys", "promote", "mac", "\(number)", "--force"] + data)
            #expect(promoted.status == 0, "\(promoted.notes)")
        }
        return data
    }

    private static func signIn(_ world: TestEnvironment) async throws {
        let server = try world.address.absoluteString
        let account = ["login", "--server", server, "--email", email, "--password-stdin"]
        let login = try await world.tool(account, input: password)
        #expect(login.status == 0, "\(login.notes)")
    }

    /// Returns the refresh token that the server grants.
    private static func grant(_ world: TestEnvironment, _ path: String, _ email: String) async throws -> String {
        var request = try world.request("v1/\(path)")
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONSerialization.data(withJSONObject: ["email": email, "password": "correct horse"])
        let (data, _) = try await URLSessionTransport.shared.data(for: request)
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return try #require(object?["refresh_token"] as? String)
    }
}
