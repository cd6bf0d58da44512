// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetEngine
import FreshetWire
import GRDB
import HTTPTypes
import JWTKit
import Logging
import Synchronization
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

    private func open() throws -> SQLiteDatabase {
        try FileManager.default.createDirectory(at: server.folder, withIntermediateDirectories: true)
        return try SQLiteDatabase(in: server.folder)
    }

    @Test func `SQLite never moves the log at a commit`() throws {
        let server = try open()
        let command = try SQLiteDatabase(existingIn: self.server.folder)
        for database in [server, command] {
            let pages = try database.writeNow { try $0.row("PRAGMA wal_autocheckpoint", [], { try $0.integer(0) }) }
            #expect(pages == 0)
        }
        try command.detach()
        try server.close()
    }

    @Test func `its writer keeps the upper pages of a million sessions in memory`() throws {
        let database = try open()
        let size = try database.writeNow { try $0.row("PRAGMA cache_size", [], { try $0.integer(0) }) }
        #expect(size == -Int64(SQLiteDatabase.cache))
        try database.close()
    }

    @Test func `writes that wait together share one transaction`() async throws {
        let database = try open()
        let gate = DispatchSemaphore(value: 0)
        let (numbers, results) = AsyncStream.makeStream(of: Int.self)
        let (beginnings, begun) = AsyncStream.makeStream(of: Void.self)
        database.writes.enqueue({ _ in
            begun.finish()
            gate.wait()
            return WriteResult(value: 0, mustBeDurable: false)
        }) { results.yield((try? $0.get()) ?? -1) }
        for await _ in beginnings {}
        for number in 1...100 {
            database.writes.enqueue({ _ in .init(value: number, mustBeDurable: false) }) {
                results.yield((try? $0.get()) ?? -1)
            }
        }
        gate.signal()
        #expect(await numbers.prefix(101).reduce(into: []) { $0.append($1) } == Array(0...100))
        // Those that come while the first one is written are written with it.
        #expect(database.writes.commits.load(ordering: .relaxed) == 1)
    }

    @Test func `a write that fails does not fail the others of its commit`() async throws {
        let database = try open()
        struct Refused: Error {}
        async let bad: Void = database.durably { database in
            try database.execute("INSERT INTO users (id, email, created_at) VALUES (x'01', 'a', 0)")
            throw Refused()
        }
        async let good: Void = database.durably { database in
            try database.execute("INSERT INTO users (id, email, created_at) VALUES (x'02', 'b', 0)")
        }
        do {
            try await bad
            Issue.record("the failing write succeeded")
        } catch is Refused {}
        try await good
        let emails = try await database.read { try $0.rows("SELECT email FROM users") { try $0[0] as String } }
        #expect(emails == ["b"])
    }

    @Test func `what shares a transaction that one of them ended is not written, and told so`() async throws {
        let database = try open()
        let gate = DispatchSemaphore(value: 0)
        let (beginnings, begun) = AsyncStream.makeStream(of: Void.self)
        let (outcomes, tell) = AsyncStream.makeStream(of: Bool.self)
        func enqueue(_ body: @escaping @Sendable (any SQLConnection) throws -> Void) {
            database.writes.enqueue({ WriteResult(value: try body($0)) }) { (result: Result<Void, any Error>) in
                tell.yield((try? result.get()) != nil)
            }
        }
        enqueue { _ in
            begun.finish()
            gate.wait()
        }
        for await _ in beginnings {}
        // As SQLite does by itself when the disk is full.
        enqueue { _ = try $0.execute("ROLLBACK") }
        enqueue { _ = try $0.execute("INSERT INTO users (id, email, created_at) VALUES (x'01', 'a', 0)") }
        gate.signal()
        #expect(await outcomes.prefix(3).reduce(into: []) { $0.append($1) } == [false, false, false])
        #expect(try await database.read { try $0.number("SELECT count(*) FROM users") } == 0)
        _ = try await database.durably {
            try $0.execute("INSERT INTO users (id, email, created_at) VALUES (x'02', 'b', 0)")
        }
        #expect(try await database.read { try $0.number("SELECT count(*) FROM users") } == 1)
    }

    @Test func `the audit trail's questions go by its indices`() async throws {
        let database = try open()
        let age = try await database.read { $0.eventAgeExpression }
        let questions = [
            ("events_session", "SELECT id FROM events WHERE session = x'01' ORDER BY id DESC LIMIT 1"),
            (
                "events_age",
                "SELECT id FROM events WHERE plain = 1 AND \(age) < 5 AND at < 5 ORDER BY \(age) LIMIT 9"
            ),
        ]
        for (index, question) in questions {
            let plan = try await database.read { database in
                try database.rows("EXPLAIN QUERY PLAN \(question)") { try $0.text(3) }
            }
            #expect(plan.count == 1 && plan[0].contains("INDEX \(index) "), "\(plan)")
        }
    }

    @Test func `a decision on an outdated row is not written`() async throws {
        let database = try open()
        let row = SessionRow.start(
            user: UUID(),
            mode: .intent,
            device: Device(name: "d"),
            lifetimes: Lifetimes(),
            keyID: 1,
            now: Timestamp(milliseconds: 5)
        )
        var first = row
        first.rotation.intent = IntentHash(.random())
        var second = row
        second.rotation.current = 1
        let (one, two) = (first, second)
        let written = try await database.durably { database in
            try SessionTable.insert(row, in: database)
            return [
                try SessionTable.replace(row, by: one, in: database),
                try SessionTable.replace(row, by: two, in: database),
                try SessionTable.replace(one, by: two, in: database),
            ]
        }
        #expect(written == [true, false, true])
        #expect(try await database.read { try SessionTable.find(row.id, in: $0) } == second)
    }

    @Test func `an ended session is never written again`() async throws {
        let database = try open()
        var row = SessionRow.start(
            user: UUID(),
            mode: .plain,
            device: Device(),
            lifetimes: Lifetimes(),
            keyID: 1,
            now: Timestamp(milliseconds: 5)
        )
        row.ending = SessionRow.Ending(at: Timestamp(milliseconds: 6), reason: .fork)
        let ended = row
        let written = try await database.durably { database in
            try SessionTable.insert(ended, in: database)
            return try SessionTable.replace(ended, by: ended, in: database)
        }
        #expect(!written)
        #expect(try await database.read { try SessionTable.find(ended.id, in: $0) } == ended)
    }

    @Test func `synchronous FULL reads back when it is asked for`() throws {
        #expect(try open().writes.keepsFullSynchronization())
    }

    @Test func `a database of a newer version is left alone`() throws {
        try open().close()
        let queue = try DatabaseQueue(path: server.folder.appending(path: "freshet.sqlite").path)
        try queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('9 tomorrow')") }
        try queue.close()
        #expect(throws: DatabaseStartupError.newerSchema("9 tomorrow")) { try open() }
    }

    @Test func `that lost commits is rolled forward, and the log warns with a number`() async throws {
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
            let database = try DatabaseQueue(path: server.folder.appending(path: "freshet.sqlite").path)
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

    @Test func `a clean stop leaves everything in the one file`() async throws {
        try await server.run { caller in _ = try await caller.signUp() }
        let file = server.folder.appending(path: "freshet.sqlite")
        let log = FileManager.default.contents(atPath: file.path + "-wal") ?? Data()
        #expect(log.isEmpty)

        let copy = server.folder.appending(path: "copy.sqlite")
        try FileManager.default.copyItem(at: file, to: copy)
        let emails = try await DatabaseQueue(path: copy.path).read {
            try String.fetchAll($0, sql: "SELECT email FROM users")
        }
        #expect(emails == ["ann@example.com"])
    }

    @Test func `a session costs few bytes, however often it is refreshed`() async throws {
        try await server.run { caller in
            var token = try await caller.signUp().refreshToken
            let path = server.folder.appending(path: "freshet.sqlite").path
            for _ in 0..<50 { token = try await caller.refresh(token, .random()).json(SessionTokens.self).refreshToken }
            let rows = try await DatabaseQueue(path: path).read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM sessions")
            }
            #expect(rows == 1)
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct `Keys and folders` {
    let server = ServerUnderTest()

    @Test func `are made at the first start, for this user alone`() async throws {
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
    func `that others may read keep the server from starting`(name: String) async throws {
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

    @Test func `production refuses to write codes to the log`() {
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

@Suite struct `Access tokens` {
    let key = P256.Signing.PrivateKey()
    let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func signer(_ key: P256.Signing.PrivateKey) throws -> AccessTokenSigner {
        try AccessTokenSigner(key: key, issuer: "https://i.example/\"x", audience: "api")
    }

    private func verifier(issuer: String = "https://i.example/\"x", audience: String = "api") throws
        -> AccessTokenVerifier
    {
        try AccessTokenVerifier(keys: [key], issuer: issuer, audience: audience)
    }

    private var claims: AccessClaims {
        AccessClaims(user: UUID(), session: .random(), issuedAt: now, expiresAt: now + .seconds(600))
    }

    @Test func `of ours are read, once and again`() throws {
        let (claims, verifier) = (claims, try verifier())
        let token = try signer(key).sign(claims)
        #expect(verifier.claims(of: token, now: now) == claims)
        #expect(verifier.claims(of: token, now: now + .seconds(599)) == claims)
        #expect(verifier.claims(of: token, now: now + .seconds(600)) == nil)
    }

    @Test func `of another key, issuer or audience are not`() throws {
        let token = try signer(key).sign(claims)
        #expect(try verifier().claims(of: signer(P256.Signing.PrivateKey()).sign(claims), now: now) == nil)
        #expect(try verifier(issuer: "other").claims(of: token, now: now) == nil)
        #expect(try verifier(audience: "other").claims(of: token, now: now) == nil)
    }

    @Test func `changed in any place are not`() throws {
        let verifier = try verifier()
        let token = try signer(key).sign(claims)
        for index in token.indices {
            var changed = token
            changed.replaceSubrange(index...index, with: token[index] == "A" ? "B" : "A")
            #expect(verifier.claims(of: changed, now: now) == nil)
        }
        for changed in [token + "A", String(token.dropLast()), token + ".", "." + token, token + "=", token + "\n", ""]
        {
            #expect(verifier.claims(of: changed, now: now) == nil)
        }
    }

    @Test func `have two texts that are both read, and take one place in the cache`() throws {
        let (claims, verifier) = (claims, try verifier())
        let token = try signer(key).sign(claims)
        let twin = try MalleableSignature.twin(of: token)
        #expect(twin != token && twin.utf8.count == token.utf8.count)
        #expect(try MalleableSignature.twin(of: twin) == token)
        for text in [token, twin, token, twin, twin] { #expect(verifier.claims(of: text, now: now) == claims) }
        #expect(verifier.rememberedCount == 1)
        // A cached token does not make another signature over the same header and payload valid.
        let signed = token.split(separator: ".").dropLast().joined(separator: ".")
        let zero = Base64URL.encode([UInt8](repeating: 0, count: 64))
        let other = try signer(P256.Signing.PrivateKey()).sign(claims).split(separator: ".")[2]
        for signature in ["", zero, String(other)] {
            #expect(verifier.claims(of: "\(signed).\(signature)", now: now) == nil)
        }
        #expect(verifier.claims(of: twin, now: now + .seconds(600)) == nil)
    }

    @Test func `without algorithm, or with the public key as a secret, are not`() throws {
        let parts = try signer(key).sign(claims).split(separator: ".")
        let none = Base64URL.encode(#"{"alg":"none","typ":"at+jwt"}"#.utf8)
        #expect(try verifier().claims(of: "\(none).\(parts[1]).", now: now) == nil)
        let header = Base64URL.encode(#"{"alg":"HS256","typ":"at+jwt"}"#.utf8)
        for secret in [key.publicKey.pemRepresentation.utf8.map { $0 }, Array(key.publicKey.rawRepresentation)] {
            let mac = HMAC<SHA256>.authenticationCode(
                for: Data("\(header).\(parts[1])".utf8),
                using: SymmetricKey(data: secret)
            )
            #expect(try verifier().claims(of: "\(header).\(parts[1]).\(Base64URL.encode(Array(mac)))", now: now) == nil)
        }
        let zero = Base64URL.encode([UInt8](repeating: 0, count: 64))
        #expect(try verifier().claims(of: "\(parts[0]).\(parts[1]).\(zero)", now: now) == nil)
    }
}
