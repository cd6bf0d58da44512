// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import PostgresCluster
import Testing

@testable import freshet

/// Upgrades of data folders and databases that an earlier program has written (`Scripts/make-upgrade-fixture`).
@Suite(.timeLimit(.minutes(5)))
struct `Upgrade of an earlier version's data` {
    enum Database: String, CaseIterable { case sqlite, postgres }

    /// The tokens that a client of the earlier server has stored.
    struct Client: Decodable {
        struct Grant: Decodable {
            enum CodingKeys: String, CodingKey { case refreshToken = "refresh_token" }

            var refreshToken: String
        }

        var kind: String
        var session: String?
        var refreshToken: String?
        var intent: String?
        var successor: String?
        /// The sign-in's response to an app with a contract of its own.
        var grant: Grant?
    }

    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
    static let versions =
        ((try? FileManager.default.contentsOfDirectory(atPath: fixtures.path)) ?? []).filter { !$0.hasPrefix(".") }

    @Test func `the upgrade fixtures contain at least one earlier version`() { #expect(!Self.versions.isEmpty) }

    @Test(arguments: versions, Database.allCases)
    func `sessions of an earlier version stay signed in, and ended ones stay ended`(version: String, database: Database)
        async throws
    {
        if database == .postgres, !PostgresCluster.isWanted { return }
        let fixture = Self.fixtures.appending(path: version)
        let clients = try JSONDecoder().decode(
            [Client].self,
            from: Data(contentsOf: fixture.appending(path: "\(database.rawValue).json"))
        )
        var address: String?
        if database == .postgres {
            let cluster = try PostgresCluster.shared.get()
            let name = try cluster.newDatabase()
            try cluster.load(fixture.appending(path: "postgres.sql"), into: name)
            address = cluster.address(name)
        }
        let folder = try DataFolderServer(database: address, isSQLite: database == .sqlite)
        try Self.copy(fixture.appending(path: database.rawValue), to: folder.data)

        let migration = try await folder.tool(["migrate"])
        #expect(migration.status == 0, "\(migration.output)")
        let server = try await folder.start(["--contract", "creatist"])
        for client in clients { try await check(client, on: server) }
        await server.process.terminate()
    }

    private func check(_ client: Client, on server: RunningServer) async throws {
        let kind = Comment(rawValue: client.kind)
        if let grant = client.grant {
            let reply = try await server.send("POST", "/auth/refresh", json: ["refresh_token": grant.refreshToken])
            #expect(reply.status == 200 && reply.string("access_token") != nil, kind)
            return
        }
        let token = try #require(client.refreshToken, kind)
        let intent = try client.intent.map { try #require(Intent($0), kind) } ?? .random()
        let reply = try await server.refresh(token, intent)
        switch client.kind {
        case "signed out":
            #expect(reply.status == 400 && reply.string("reason") == "logout", "\(reply.text)")
        case "stolen":
            #expect(reply.status == 400 && ["fork", "reuse"].contains(reply.string("reason")), "\(reply.text)")
        default:
            #expect(reply.status == 200, "\(client.kind): \(reply.text)")
            #expect(reply.string("session_id") == client.session, kind)
            // The response that was lost before the upgrade arrives after it.
            if let successor = client.successor { #expect(reply.string("refresh_token") == successor, kind) }
            let access = try #require(reply.string("access_token"), kind)
            #expect(try await server.send("GET", "/v1/me", bearer: access).status == 200, kind)
            let next = try #require(reply.string("refresh_token"), kind)
            #expect(try await server.refresh(next).status == 200, kind)
        }
    }

    /// Copies a data folder, which only its owner may access; a repository does not keep that.
    private static func copy(_ folder: URL, to target: URL) throws {
        let files = FileManager.default
        try files.copyItem(at: folder, to: target)
        for name in [""] + (try files.subpathsOfDirectory(atPath: target.path)) {
            let path = target.appending(path: name).path
            var isFolder: ObjCBool = false
            _ = files.fileExists(atPath: path, isDirectory: &isFolder)
            try files.setAttributes([.posixPermissions: isFolder.boolValue ? 0o700 : 0o600], ofItemAtPath: path)
        }
    }
}
