// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB
import HTTPTypes
import JWTKit
import Logging
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetServer
@testable import FreshetSystem

extension ServerUnderTest {
    /// Everything the database has written, log included.
    func databaseBytes() throws -> [UInt8] {
        try ["freshet.sqlite", "freshet.sqlite-wal"].reduce(into: []) { bytes, name in
            bytes += Array(try Data(contentsOf: folder.appending(path: name)))
        }
    }

    func mode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: path).path)
        return (attributes[.posixPermissions] as? Int) ?? -1
    }
}

@Suite(.timeLimit(.minutes(5)))
struct `The database` {
    let server = ServerUnderTest()

    @Test func `a database that lost commits is rolled forward, and the number of lost generations is logged`()
        async throws
    {
        try await server.run { caller in
            var tokens = [try await caller.signUp().refreshToken]
            for _ in 0..<4 {
                tokens.append(
                    try await caller.refresh(tokens[tokens.count - 1], .random()).json(SessionTokens.self).refreshToken
                )
            }
            // Machines with a low limit of open files warn of that.
            let warned = { caller.log.lines.filter { $0["level"] == "warning" && $0["open_files"] == nil } }
            #expect(warned().isEmpty)
            let database = try server.openDatabase()
            for (path, total) in [(NativePath.refresh, "1"), (NativePath.confirm, "2")] {
                try await database.write { try $0.execute(sql: "UPDATE sessions SET cur = 0, intent = NULL") }
                let answer =
                    path == NativePath.refresh
                    ? try await caller.refresh(tokens[3], .random()) : try await caller.present(path, tokens[3])
                #expect(answer.status < 300)
                let warning = try #require(warned().last)
                #expect(warning["message"] == "the database had lost commits")
                #expect(warning["lost_generations"] == "2")
                #expect(warning["total"] == total)
            }
        }
    }

    @Test func `a clean stop leaves all data in the main database file`() async throws {
        try await server.run { caller in _ = try await caller.signUp() }
        let file = server.folder.appending(path: "freshet.sqlite")
        let log = FileManager.default.contents(atPath: file.path + "-wal") ?? Data()
        #expect(log.isEmpty)

        let copy = server.folder.appending(path: "copy.sqlite")
        try FileManager.default.copyItem(at: file, to: copy)
        let emails = try await server.openDatabase("copy.sqlite").read {
            try String.fetchAll($0, sql: "SELECT email FROM users")
        }
        #expect(emails == ["ann@example.com"])
    }

    @Test func `a session has one row in the database, regardless of the number of refreshes`() async throws {
        try await server.run { caller in
            var token = try await caller.signUp().refreshToken
            for _ in 0..<50 { token = try await caller.refresh(token, .random()).json(SessionTokens.self).refreshToken }
            let rows = try await server.openDatabase().read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM sessions")
            }
            #expect(rows == 1)
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct `Keys and folders` {
    let server = ServerUnderTest()

    @Test func `key files and folders are created at the first start with private permissions`() async throws {
        try await server.run { _ in }
        #expect(try server.mode(of: "") == 0o700)
        #expect(try server.mode(of: "keys") == 0o700)
        for name in ["keys/mac-1.key", "keys/code-1.key", "keys/es256-1.pem", "freshet.sqlite"] {
            #expect(try server.mode(of: name) == 0o600)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: server.folder.appending(path: "keys").path)
        #expect(Set(names) == ["mac-1.key", "code-1.key", "es256-1.pem", "database"])
    }

    @Test(arguments: ["keys/mac-1.key", "keys/es256-1.pem"])
    func `a key file that others may read keeps the server from starting`(name: String) async throws {
        try await server.run { _ in }
        let path = server.folder.appending(path: name).path
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(throws: PrivateFiles.UnsafeKeyFile(path: path)) {
            try TokenServer(server.configuration, log: server.log.logger)
        }
    }

    @Test func `a folder that others may enter keeps the server from starting`() throws {
        try FileManager.default.createDirectory(
            at: server.folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755]
        )
        #expect(throws: PrivateFiles.UnsafeFolder(path: server.folder.path)) {
            try TokenServer(server.configuration, log: server.log.logger)
        }
    }

    @Test(arguments: [0o666, 0o640, 0o604])
    func `a database that others may read or change keeps the server from starting`(mode: Int) async throws {
        try await server.run { caller in
            _ = try await caller.signUp()
            #expect(try server.mode(of: "freshet.sqlite-wal") == 0o600)
            #expect(try server.mode(of: "freshet.sqlite-shm") == 0o600)
        }
        let path = server.folder.appending(path: "freshet.sqlite").path
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        #expect(throws: DatabaseStartupError.unsafeDatabase(path)) {
            try TokenServer(server.configuration, log: server.log.logger)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try await server.run { caller in _ = try await caller.signIn() }
    }

    @Test func `a garbled key keeps the server from starting, and is not replaced`() async throws {
        try await server.run { _ in }
        let file = server.folder.appending(path: "keys/mac-1.key")
        try Data("garbage".utf8).write(to: file)
        #expect(throws: IdentityStartupError.unreadableKeyFile(file.path)) {
            try TokenServer(server.configuration, log: server.log.logger)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == "garbage")
    }

    @Test func `a production server does not start if its mail is written to the log`() {
        var configuration = server.configuration
        configuration.isProduction = true
        #expect(throws: ServerStartupError.logMailInProduction) {
            try TokenServer(configuration, log: server.log.logger)
        }
        #expect(!FileManager.default.fileExists(atPath: server.folder.path))
    }

    @Test func `access tokens verify against the published keys in another library`() async throws {
        struct Payload: JWTPayload {
            var iss: String
            var aud: String
            var sub: String
            var sid: String
            var jti: String
            var iat: Int
            var exp: ExpirationClaim
            func verify(using _: some JWTAlgorithm) throws {}
        }
        try await server.run { caller in
            let grant = try await caller.signUp()
            let answer = try await caller.send(.get, NativePath.keySet)
            let keys = try await JWTKeyCollection().add(jwksJSON: String(decoding: answer.body, as: UTF8.self))
            let payload = try await keys.verify(grant.accessToken, as: Payload.self)
            #expect(payload.iss == "http://localhost")
            #expect(payload.aud == "api")
            #expect(payload.sub == grant.user.id)
            #expect(payload.sid == grant.sessionID.description)
            #expect(payload.exp.value.timeIntervalSince1970 - Double(payload.iat) == 600)
            let header = try #require(Base64URL.decode(grant.accessToken.prefix { $0 != "." }))
            #expect(String(decoding: header, as: UTF8.self).contains(#""typ":"at+jwt""#))
            #expect(!String(decoding: answer.body, as: UTF8.self).contains("\"d\""))
        }
    }
}
