// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetEngine
import FreshetSystem
import FreshetWire
import IdentityFixtures
import PostgresCluster
import ServerFixtures
import Testing

@testable import FreshetHTTP
@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `A server whose keys an operator gives` {
    private let server = ServerUnderTest()
    private var keys: SuppliedKeys { SuppliedKeys(folder: server.folder.appending(path: "given")) }

    private func parts(_ source: KeySource?, of other: ServerUnderTest? = nil) throws -> ServerParts {
        let server = other ?? self.server
        try FileManager.default.createDirectory(
            at: server.folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        var configuration = server.configuration
        configuration.keys.source = source
        return try ServerParts(configuration, log: server.log.logger, clock: server.clocks)
    }

    private func signUp(_ parts: ServerParts, _ name: String = "ann") async throws -> SessionTokens {
        try await parts.signIn.passwords.signUp(
            PasswordCredentials(email: "\(name)@example.com", password: "correct horse"),
            from: Requester()
        )
    }

    private func refresh(_ parts: ServerParts, _ grant: SessionTokens) async throws -> SessionTokens {
        try await parts.sessions.refresh(RefreshRequest(refreshToken: grant.refreshToken, intent: Intent.random().text))
    }

    private func name(_ key: P256.Signing.PrivateKey?) throws -> String {
        JSONWebKey(try #require(key).publicKey).kid
    }

    private var files: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: server.folder.appending(path: "keys").path).sorted()
        }
    }

    @Test func `keys from the operator are not stored in the keys folder, and remain valid after a restart`()
        async throws
    {
        let keys = keys
        let parts = try parts(.text(keys.text))
        let grant = try await signUp(parts)
        #expect(parts.keys.current.keySet.keys.map(\.kid) == [try name(keys.signing[1])])
        #expect(try files == ["chains.json", "database"])
        let record = try String(contentsOf: server.folder.appending(path: "keys/chains.json"), encoding: .utf8)
        for key in keys.mac.values {
            #expect(!record.contains(Base64URL.encode(key.withUnsafeBytes { Array($0) })))
        }
        try await parts.shutDown()
        let again = try self.parts(.text(keys.text))
        _ = try again.bearer.claims(of: grant.accessToken)
        _ = try await refresh(again, grant)
        try await again.shutDown()
    }

    @Test func `a new key of the key program is published, used later, and signs no user out`() async throws {
        var keys = keys
        try keys.publish()
        let parts = try parts(keys.source)
        var grant = try await signUp(parts)
        keys.signing[2] = P256.Signing.PrivateKey()
        keys.mac[2] = SymmetricKey(size: .bits256)
        try keys.publish()
        parts.keyReloader.reload()
        // It is not run at every look.
        #expect(parts.keys.current.keySet.keys.count == 1)
        server.advance(by: parts.configuration.keys.commandInterval)
        parts.keyReloader.reload()
        #expect(parts.keys.current.keySet.keys.count == 2)
        #expect(parts.keys.current.signer.keyID == (try name(keys.signing[1])))
        #expect(parts.keys.current.ring.currentID == 1)
        server.advance(by: parts.configuration.keys.activationDelay)
        parts.keyReloader.reload()
        #expect(parts.keys.current.signer.keyID == (try name(keys.signing[2])))
        #expect(parts.keys.current.ring.currentID == 2)
        grant = try await refresh(parts, grant)
        #expect(try RefreshToken(grant.refreshToken).body.keyID == 2)
        // The old one is published until its last token is over, though the program still prints it.
        server.advance(by: .seconds(700))
        parts.keyReloader.reload()
        #expect(parts.keys.current.keySet.keys.map(\.kid) == [try name(keys.signing[2])])
        try await parts.shutDown()
    }

    @Test func `a server keeps its keys while the key program fails, and logs the failure`() async throws {
        var keys = keys
        try keys.publish()
        let parts = try parts(keys.source)
        let grant = try await signUp(parts)
        let before = parts.keys.current.keySet
        let other = SuppliedKeys(folder: keys.folder)
        for text in ["", "nonsense", other.text, other.text.replacing("mac-1", with: "mac-x")] {
            try keys.publish(text)
            parts.keyReloader.reload(isForced: true)
        }
        try FileManager.default.removeItem(at: keys.file)
        parts.keyReloader.reload(isForced: true)
        #expect(parts.keys.current.keySet == before)
        #expect(
            server.log.messages.filter { $0 == "the keys' source cannot be read; the keys stay as they are" }.count == 5
        )
        _ = try await refresh(parts, grant)
        keys.signing[2] = P256.Signing.PrivateKey()
        try keys.publish()
        parts.keyReloader.reload(isForced: true)
        #expect(parts.keys.current.keySet.keys.count == 2)
        try await parts.shutDown()
    }

    @Test func `a key that the key program no longer prints is retired immediately, and its removal is logged`()
        async throws
    {
        var keys = keys
        keys.mac[2] = SymmetricKey(size: .bits256)
        keys.signing[2] = P256.Signing.PrivateKey()
        keys.inUse = ["mac": 1, "es256": 1]
        try keys.publish()
        let parts = try parts(keys.source)
        let grant = try await signUp(parts)
        keys.mac[1] = nil
        keys.signing[1] = nil
        keys.inUse = [:]
        try keys.publish()
        parts.keyReloader.reload(isForced: true)
        #expect(
            server.log.messages.contains("a key was removed from its source; tokens and codes made with it are refused")
        )
        #expect(throws: APIError.self) { try parts.bearer.claims(of: grant.accessToken) }
        // It was taken away while a server looked: a sign-out, as the operator wanted, and remembered over a restart.
        let error = await #expect(throws: APIError.self) { _ = try await refresh(parts, grant) }
        #expect(error?.code == .invalidGrant)
        _ = try await signUp(parts, "bob")
        try await parts.shutDown()
    }

    @Test func `a server switches between key files and supplied keys, and does not start when both lack a key`()
        async throws
    {
        let first = try parts(nil)
        var grant = try await signUp(first)
        try await first.shutDown()
        let folder = server.folder.appending(path: "keys")
        var keys = keys
        keys.signing[1] = try P256.Signing.PrivateKey(
            pemRepresentation: String(contentsOf: folder.appending(path: "es256-1.pem"), encoding: .utf8)
        )
        for (name, path) in [("mac", "mac-1.key"), ("code", "code-1.key")] {
            let file = folder.appending(path: path)
            let text = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
            let key = SymmetricKey(data: try #require(Base64URL.decode(text)))
            if name == "mac" { keys.mac[1] = key } else { keys.code[1] = key }
        }
        let pem = try String(contentsOf: folder.appending(path: "es256-1.pem"), encoding: .utf8)
        try FileManager.default.removeItem(at: folder.appending(path: "es256-1.pem"))
        let second = try parts(.text(keys.text))
        _ = try second.bearer.claims(of: grant.accessToken)
        grant = try await refresh(second, grant)
        try await second.shutDown()
        #expect(throws: IdentityStartupError.self) { _ = try parts(nil) }
        #expect(try !files.contains("es256-1.pem"))
        try PrivateFiles.write(Array(pem.utf8), toNewFile: folder.appending(path: "es256-1.pem"))
        let third = try parts(nil)
        _ = try third.bearer.claims(of: grant.accessToken)
        _ = try await refresh(third, grant)
        #expect(throws: Never.self) { try third.keyReloader.administration.rotate(.signing, now: server.readClock()) }
        try await third.shutDown()
    }

    @Test(.enabled(if: PostgresCluster.isWanted, "FRESHET_WITHOUT_POSTGRES is set"))
    func `servers with older and newer supplied keys accept each other's tokens during a deployment`() async throws {
        // Only PostgreSQL lets two servers share a database.
        let server = ServerUnderTest(database: try DatabaseEngine.postgres.make().postgres)
        func parts(_ source: KeySource?) throws -> ServerParts { try self.parts(source, of: server) }
        var keys = keys
        let old = try parts(.text(keys.text))
        var grant = try await signUp(old)
        keys.signing[2] = P256.Signing.PrivateKey()
        keys.mac[2] = SymmetricKey(size: .bits256)
        let new = try parts(.text(keys.text))
        func exchange() async throws {
            for parts in [old, new] {
                parts.keyReloader.reload()
                grant = try await refresh(parts, grant)
                for other in [old, new] { _ = try other.bearer.claims(of: grant.accessToken) }
            }
        }
        try await exchange()
        server.advance(by: .seconds(800))
        try await exchange()
        #expect(new.keys.current.keySet.keys.count == 2)
        // The older one ends before the new key is used, as a deployment does; it comes back by mistake, and harms nobody.
        try await old.shutDown()
        server.advance(by: .seconds(100))
        new.keyReloader.reload()
        grant = try await refresh(new, grant)
        #expect(try RefreshToken(grant.refreshToken).body.keyID == 2)
        keys.signing[2] = nil
        keys.mac[2] = nil
        let folder = server.folder.appending(path: "keys").path
        #expect(throws: IdentityStartupError.missingKeys(folder, [2])) { try parts(.text(keys.text)) }
        new.keyReloader.reload()
        grant = try await refresh(new, grant)
        try await new.shutDown()
    }
}
