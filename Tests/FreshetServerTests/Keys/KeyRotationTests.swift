// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetEngine
import FreshetSystem
import FreshetWire
import HTTPTypes
import PostgresCluster
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetHTTP
@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `Key rotation at runtime` {
    let server = ServerUnderTest()

    private func watch(_ parts: ServerParts) -> KeyReloader { parts.keyReloader }

    private func parts(
        _ configuration: ServerConfiguration? = nil,
        of server: ServerUnderTest? = nil
    ) throws -> ServerParts {
        let server = server ?? self.server
        return try ServerParts(
            configuration ?? server.configuration,
            log: server.log.logger,
            clock: server.clocks
        )
    }

    private static func keyID(_ token: String) throws -> String {
        let part = try #require(token.split(separator: ".").first)
        let bytes = try #require(Base64URL.decode(part))
        return try #require(try JSONParser.parse(bytes).object?["kid"]?.string)
    }

    private static func macID(_ token: String) throws -> UInt8 { try RefreshToken(token).body.keyID }

    /// An old server and a new one, as parts, on one folder of keys and one database, which only PostgreSQL lets them share.
    @Test(.enabled(if: PostgresCluster.isWanted, "FRESHET_WITHOUT_POSTGRES is set"))
    func `two servers agree on tokens during a key rotation, and no user is signed out`() async throws {
        let place = try DatabaseEngine.postgres.make()
        let server = ServerUnderTest(database: place.postgres)
        let one = try parts(of: server), two = try parts(of: server)
        let account = PasswordCredentials(email: "ann@example.com", password: "correct horse")
        var grant = try await one.signIn.passwords.signUp(account, from: Requester())
        let before = grant
        let published = one.keys.current.keySet
        #expect(published.keys.count == 1)

        for kind in KeyKind.allCases { _ = try one.keyReloader.administration.rotate(kind, now: server.readClock()) }
        // One server looks, the other has not yet.
        one.keyReloader.reload()
        #expect(one.keys.current.keySet.keys.count == 2)
        #expect(two.keys.current.keySet == published)
        func exchange(_ at: ServerParts) async throws {
            grant = try await at.sessions.refresh(
                RefreshRequest(refreshToken: grant.refreshToken, intent: Intent.random().text)
            )
            for parts in [one, two] { _ = try parts.bearer.claims(of: grant.accessToken) }
        }
        try await exchange(one)
        try await exchange(two)
        #expect(try Self.keyID(grant.accessToken) == published.keys[0].kid)
        #expect(try Self.macID(grant.refreshToken) == 1)

        server.advance(by: one.configuration.keys.activationDelay)
        two.keyReloader.reload()
        try await exchange(two)
        #expect(try Self.keyID(grant.accessToken) != published.keys[0].kid)
        #expect(try Self.macID(grant.refreshToken) == 2)
        // The first server still signs with the old key, and takes what is made with the new one.
        try await exchange(one)
        one.keyReloader.reload()
        try await exchange(one)
        try await exchange(two)
        #expect(try Self.macID(grant.refreshToken) == 2)
        // A client that slept all the while comes back with a token under the old key.
        #expect(throws: Never.self) { try one.bearer.claims(of: grant.accessToken) }
        let late = try await one.signIn.passwords.signIn(account, from: Requester())
        #expect(late.refreshToken != before.refreshToken)
        try await one.shutDown()
        try await two.shutDown()
    }

    @Test func `a replaced signing key is published until its last token expires, and only then can be retired`()
        async throws
    {
        let parts = try parts()
        let keys = parts.keyReloader.administration
        let old = parts.keys.current.signer.keyID
        _ = try keys.rotate(.signing, now: server.readClock())
        server.advance(by: parts.configuration.keys.activationDelay)
        parts.keyReloader.reload()
        #expect(parts.keys.current.signer.keyID != old)
        server.advance(by: .seconds(655))
        parts.keyReloader.reload()
        #expect(parts.keys.current.keySet.keys.contains { $0.kid == old })
        #expect(throws: KeySchedule.Refusal.needed) { try keys.retire(.signing, 1, now: server.readClock()) }
        server.advance(by: .seconds(10))
        parts.keyReloader.reload()
        #expect(!parts.keys.current.keySet.keys.contains { $0.kid == old })
        try keys.retire(.signing, 1, now: server.readClock())
        #expect(throws: KeySchedule.Refusal.inUse) { try keys.retire(.signing, 2, now: server.readClock()) }
        #expect(!FileManager.default.fileExists(atPath: server.folder.appending(path: "keys/es256-1.pem").path))
        try await parts.shutDown()
        // And a restart finds it so.
        let again = try self.parts()
        #expect(again.keys.current.signer.keyID == parts.keys.current.signer.keyID)
        try await again.shutDown()
    }

    @Test func `a replaced MAC key cannot be retired until every session that began before has ended`() async throws {
        let parts = try parts()
        let keys = parts.keyReloader.administration
        let grant = try await parts.signIn.passwords.signUp(
            PasswordCredentials(email: "ann@example.com", password: "correct horse"),
            from: Requester()
        )
        _ = try keys.rotate(.mac, now: server.readClock())
        server.advance(by: parts.configuration.keys.activationDelay + parts.configuration.keys.activationDelay)
        parts.keyReloader.reload()
        #expect(throws: KeySchedule.Refusal.needed) { try keys.retire(.mac, 1, now: server.readClock()) }
        _ = try await parts.sessions.present(TokenRequest(.logout, token: grant.refreshToken))
        try keys.retire(.mac, 1, now: server.readClock())
        parts.keyReloader.reload()
        #expect(parts.keys.current.ring.currentID == 2)
        try await parts.shutDown()
    }

    @Test func `keys are reloaded although outdated ones cannot be retired`() async throws {
        var configuration = server.configuration
        configuration.keys.rotation = .seconds(30 * 86_400)
        let parts = try parts(configuration)
        let keys = parts.keyReloader.administration
        func rotate() throws {
            _ = try keys.rotate(.mac, now: server.readClock())
            server.advance(by: parts.configuration.keys.activationDelay + parts.configuration.keys.activationDelay)
            parts.keyReloader.reload()
        }
        func rename(_ table: String, _ other: String) async throws {
            _ = try await parts.database.durably { try $0.execute("ALTER TABLE \(table) RENAME TO \(other)", []) }
        }
        try rotate()
        try await rename("sessions", "other_sessions")
        try rotate()
        #expect(server.log.messages.contains("outdated keys cannot be retired"))
        #expect(parts.keys.current.ring.currentID == 3)
        try await rename("other_sessions", "sessions")
        try await parts.shutDown()
    }

    @Test func `a key is created although a process with the same ID was killed while it wrote one`() async throws {
        let parts = try parts(server.configuration)
        let keys = parts.keyReloader.administration
        let temporary = server.folder.appending(path: "keys/.mac-2.key.\(getpid())")
        try Data("half".utf8).write(to: temporary)
        _ = try keys.rotate(.mac, now: server.readClock())
        #expect(!FileManager.default.fileExists(atPath: temporary.path))
        // A file that cannot be written: the schedule names the key in use all the same.
        try FileManager.default.createDirectory(
            at: server.folder.appending(path: "keys/.es256-2.pem.\(getpid())"),
            withIntermediateDirectories: false
        )
        #expect(throws: (any Error).self) { try keys.rotate(.signing, now: server.readClock()) }
        let chains = try String(contentsOf: server.folder.appending(path: "keys/chains.json"), encoding: .utf8)
        #expect(chains.contains("\"es256\""))
        try await parts.shutDown()
    }

    @Test func `a MAC key stays while a server that has not reloaded yet opens sessions with it`() async throws {
        var configuration = server.configuration
        configuration.keys.rotation = .seconds(30 * 86_400)
        let parts = try parts(configuration)
        let keys = parts.keyReloader.administration
        _ = try keys.rotate(.mac, now: server.readClock())
        server.advance(by: parts.configuration.keys.activationDelay)
        // Another server reloads first. No session is open yet.
        try keys.retireOutdated(now: server.readClock())
        let grant = try await parts.signIn.passwords.signUp(
            PasswordCredentials(email: "ann@example.com", password: "correct horse"),
            from: Requester()
        )
        #expect(try Self.macID(grant.refreshToken) == 1)
        parts.keyReloader.reload()
        #expect(parts.keys.current.ring.currentID == 2)
        let refresh = RefreshRequest(refreshToken: grant.refreshToken, intent: Intent.random().text)
        await #expect(throws: Never.self) { try await parts.sessions.refresh(refresh) }
        try await parts.shutDown()
    }

    @Test func `a superseded MAC key is kept while ended sessions are stored, so that devices get the end reason`()
        async throws
    {
        var configuration = server.configuration
        configuration.keys.rotation = .seconds(30 * 86_400)
        let parts = try parts(configuration)
        let file = server.folder.appending(path: "keys/mac-1.key").path
        let grant = try await parts.signIn.passwords.signUp(
            PasswordCredentials(email: "ann@example.com", password: "correct horse"),
            from: Requester()
        )
        _ = try await parts.sessions.present(TokenRequest(.logout, token: grant.refreshToken))
        _ = try parts.keyReloader.administration.rotate(.mac, now: server.readClock())
        for _ in 0..<3 {
            server.advance(by: configuration.keys.activationDelay)
            parts.keyReloader.reload()
        }
        #expect(parts.keys.current.ring.currentID == 2)
        let refresh = RefreshRequest(refreshToken: grant.refreshToken, intent: Intent.random().text)
        let error = await #expect(throws: APIError.self) { try await parts.sessions.refresh(refresh) }
        #expect(error?.reason == .logout)
        server.advance(by: configuration.operations.retention.endedSessions)
        try await parts.cleanup.clean()
        #expect(FileManager.default.fileExists(atPath: file))
        parts.keyReloader.reload()
        #expect(!FileManager.default.fileExists(atPath: file))
        try await parts.shutDown()
    }

    @Test func `keys are created, activated and deleted on the rotation schedule`() async throws {
        var configuration = server.configuration
        configuration.keys.rotation = .seconds(30 * 86_400)
        let parts = try parts(configuration)
        parts.keyReloader.reload()
        let first = parts.keys.current
        #expect(first.keySet.keys.count == 1)
        server.advance(by: .seconds(30 * 86_400))
        parts.keyReloader.reload()
        #expect(parts.keys.current.keySet.keys.count == 2)
        #expect(parts.keys.current.signer.keyID == first.signer.keyID)
        server.advance(by: parts.configuration.keys.activationDelay)
        parts.keyReloader.reload()
        #expect(parts.keys.current.signer.keyID != first.signer.keyID)
        #expect(parts.keys.current.ring.currentID == 2)
        server.advance(by: .seconds(86_400))
        parts.keyReloader.reload()
        #expect(parts.keys.current.keySet.keys.count == 1)
        #expect(!FileManager.default.fileExists(atPath: server.folder.appending(path: "keys/es256-1.pem").path))
        try await parts.shutDown()
    }

    @Test func `an invalid key file is logged, and the keys in use do not change`() async throws {
        let parts = try parts()
        let keys = parts.keys.current
        let file = server.folder.appending(path: "keys/es256-1.pem")
        let text = try Data(contentsOf: file)
        try FileManager.default.removeItem(at: file)
        try PrivateFiles.write(Array("nonsense".utf8), toNewFile: file)
        parts.keyReloader.reload()
        #expect(parts.keys.current.keySet == keys.keySet)
        #expect(server.log.messages.contains("the keys cannot be read"))
        try PrivateFiles.replace(file, with: Array(text))
        parts.keyReloader.reload()
        #expect(parts.keys.current.keySet == keys.keySet)
        try await parts.shutDown()
    }
}
