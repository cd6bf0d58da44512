// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetSystem
import FreshetWire
import PostgresCluster
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetMetrics
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `Keys recorded in the database` {
    /// A server's settings, with keys in `folder` and its rows in the database.
    private func configuration(_ place: DatabaseUnderTest, _ folder: URL? = nil) -> ServerConfiguration {
        var configuration = ServerConfiguration(dataDirectory: folder ?? place.folder)
        configuration.database = place.postgres
        configuration.passwords.logN = 10
        // A child process that is being started may hold a copy of a closed lock for a moment.
        configuration.lockTimeout = .seconds(5)
        return configuration
    }

    @Test func `a startup error about several keys is in the plural`() {
        let missing = "\(IdentityStartupError.missingKeys("/keys", [1, 2, 4]))"
        #expect(missing.contains("rest on mac-1, mac-2 and mac-4, which are neither in /keys nor given by"))
        #expect(
            "\(IdentityStartupError.missingKeys("/keys", [2]))".contains("rest on mac-2, which is neither in /keys")
        )
        let different = "\(IdentityStartupError.differentKeys("/keys", [1, 2]))"
        #expect(different.hasPrefix("mac-1 and mac-2, from /keys, FRESHET_KEYS or keys-command, are not the keys of"))
    }

    private func parts(_ configuration: ServerConfiguration, _ log: CapturedLog = CapturedLog()) throws -> ServerParts {
        try ServerParts(configuration, log: log.logger)
    }

    /// Runs a server's parts, and shuts them down.
    private func serve<Value>(
        _ configuration: ServerConfiguration,
        _ log: CapturedLog = CapturedLog(),
        _ body: (ServerParts) async throws -> Value
    ) async throws -> Value {
        let parts = try parts(configuration, log)
        let value: Value
        do { value = try await body(parts) } catch {
            try await parts.shutDown()
            throw error
        }
        try await parts.shutDown()
        return value
    }

    private func signUp(_ parts: ServerParts, _ name: String = "ann") async throws -> SessionTokens {
        let account = PasswordCredentials(email: "\(name)@example.com", password: "correct horse")
        return try await parts.signIn.passwords.signUp(account, from: Requester())
    }

    private func refresh(_ parts: ServerParts, _ token: String) async throws -> SessionTokens {
        try await parts.sessions.refresh(RefreshRequest(refreshToken: token, intent: Intent.random().text))
    }

    private func keys(_ place: DatabaseUnderTest) -> URL { place.folder.appending(path: "keys") }

    private func files(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private func query(_ place: DatabaseUnderTest, _ sql: String) async throws -> [String] {
        try await place.opened { try $0.readNow { try $0.rows(sql) { try $0[0] as String } } }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a server does not start without a recorded key, creates no new keys, and starts once its keys are restored`(
        engine: DatabaseEngine
    ) async throws {
        let place = try engine.make()
        let grant = try await serve(configuration(place)) { try await signUp($0) }
        let aside = place.folder.appending(path: "aside")
        try FileManager.default.moveItem(at: keys(place), to: aside)
        let refusal = IdentityStartupError.missingKeys(keys(place).path, [1])
        #expect(throws: refusal) { try parts(configuration(place)) }
        #expect(throws: refusal) { try parts(configuration(place)) }
        #expect(!FileManager.default.fileExists(atPath: keys(place).path))
        #expect("\(refusal)".contains("mac-1") && "\(refusal)".contains("freshet keys retire mac 1 --force"))
        try FileManager.default.moveItem(at: aside, to: keys(place))
        try await serve(configuration(place)) { _ = try await refresh($0, grant.refreshToken) }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a server keeps its keys when the keys folder is replaced at runtime, and creates no key in it`(
        engine: DatabaseEngine
    ) async throws {
        let place = try engine.make()
        let log = CapturedLog()
        try await serve(configuration(place), log) { parts in
            let grant = try await signUp(parts)
            let aside = place.folder.appending(path: "aside")
            try FileManager.default.moveItem(at: keys(place), to: aside)
            try PrivateFiles.prepare(keys(place))
            parts.keyReloader.reload()
            #expect(log.messages.contains("the keys cannot be read"))
            #expect(try files(keys(place)).isEmpty)
            // Another folder in its place is no better.
            let elsewhere = try DatabaseEngine.sqlite.make()
            try await serve(configuration(elsewhere)) { _ in }
            try FileManager.default.removeItem(at: keys(place))
            try FileManager.default.copyItem(at: keys(elsewhere), to: keys(place))
            parts.keyReloader.reload()
            let next = try await refresh(parts, grant.refreshToken)
            try FileManager.default.removeItem(at: keys(place))
            try FileManager.default.moveItem(at: aside, to: keys(place))
            parts.keyReloader.reload()
            _ = try await refresh(parts, next.refreshToken)
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a lost MAC key that an operator retires by force stays retired, and its number is not reused`(
        engine: DatabaseEngine
    ) async throws {
        let place = try engine.make()
        let grant = try await serve(configuration(place)) { try await signUp($0) }
        try FileManager.default.removeItem(at: keys(place))
        func administration() throws -> KeyAdministration {
            try KeyAdministration(
                dataDirectory: place.folder,
                database: place.postgres,
                access: .seconds(600),
                activationDelay: .zero
            )
        }
        #expect(try administration().missing() == [1])
        // Looking made no key in the place of the lost one.
        #expect(!FileManager.default.fileExists(atPath: keys(place).path))
        #expect(throws: KeySchedule.Refusal.missing) { try administration().retire(.mac, 1, now: .system()) }
        try administration().retire(.mac, 1, now: .system(), isForced: true)
        try await serve(configuration(place)) { parts in
            #expect(parts.keys.current.ring.currentID == 2)
            let error = await #expect(throws: APIError.self) { try await refresh(parts, grant.refreshToken) }
            #expect(error?.code == .invalidGrant)
            _ = try await refresh(parts, try await signUp(parts, "bob").refreshToken)
        }
    }

    private func administration(_ place: DatabaseUnderTest) throws -> KeyAdministration {
        try KeyAdministration(
            dataDirectory: place.folder,
            database: place.postgres,
            access: .seconds(600),
            activationDelay: .zero
        )
    }

    /// Two keys of each kind, of which the second is in use, and a session under each MAC key.
    private func rotated(_ place: DatabaseUnderTest) async throws -> [SessionTokens] {
        let first = try await serve(configuration(place)) { try await signUp($0) }
        for kind in KeyKind.allCases {
            let id = try administration(place).add(kind, now: .system())
            try administration(place).promote(kind, id, now: .system(), isForced: true)
        }
        return [first, try await serve(configuration(place)) { try await signUp($0, "bob") }]
    }

    @Test(arguments: [["es256-2.pem"], ["es256-1.pem"], ["es256-1.pem", "es256-2.pem"]])
    func `a recorded signing key that is lost is given up at the next start, and no session ends`(
        lost: [String]
    ) async throws {
        let place = try DatabaseEngine.sqlite.make()
        let grants = try await rotated(place)
        for name in lost { try FileManager.default.removeItem(at: keys(place).appending(path: name)) }
        let log = CapturedLog()
        try await serve(configuration(place), log) { parts in
            #expect(
                log.lines.contains { $0["message"]?.contains("the key is given up") == true && $0["kind"] == "es256" }
            )
            for grant in grants { _ = try await refresh(parts, grant.refreshToken) }
        }
        let log2 = CapturedLog()
        try await serve(configuration(place), log2) { _ in }
        #expect(!log2.messages.contains { $0.contains("given up") })
        let chain = try administration(place).chain(.signing, now: .system())
        #expect(chain.members.map(\.id) == [lost.count == 2 ? 3 : lost == ["es256-1.pem"] ? 2 : 1])
    }

    @Test func `a startup error names a lost MAC key, and an operator can retire the key by force`() async throws {
        for lost in [UInt8(1), 2] {
            let place = try DatabaseEngine.sqlite.make()
            let grants = try await rotated(place)
            try FileManager.default.removeItem(at: keys(place).appending(path: "mac-\(lost).key"))
            let refusal = IdentityStartupError.missingKeys(keys(place).path, [lost])
            #expect(throws: refusal) { try parts(configuration(place)) }
            #expect(try administration(place).missing() == [lost])
            #expect(throws: KeySchedule.Refusal.missing) {
                try administration(place).retire(.mac, lost, now: .system())
            }
            try administration(place).retire(.mac, lost, now: .system(), isForced: true)
            try await serve(configuration(place)) { parts in
                let kept = grants[lost == 1 ? 1 : 0]
                _ = try await refresh(parts, kept.refreshToken)
                let error = await #expect(throws: APIError.self) {
                    try await refresh(parts, grants[lost == 1 ? 0 : 1].refreshToken)
                }
                #expect(error?.code == .invalidGrant)
            }
        }
    }

    @Test(arguments: [false, true])
    func `a lost key that was only announced does not prevent the start, and can be retired by force`(isGivenUp: Bool)
        async throws
    {
        let place = try DatabaseEngine.sqlite.make()
        let grant = try await serve(configuration(place)) { try await signUp($0) }
        _ = try administration(place).add(.mac, now: .system())
        try FileManager.default.removeItem(at: keys(place).appending(path: "mac-2.key"))
        #expect(throws: KeySchedule.Refusal.missing) { try administration(place).retire(.mac, 2, now: .system()) }
        if isGivenUp { try administration(place).retire(.mac, 2, now: .system(), isForced: true) }
        try await serve(configuration(place)) { _ = try await refresh($0, grant.refreshToken) }
        #expect(try administration(place).chain(.mac, now: .system()).members.map(\.id) == [1])
        #expect(try administration(place).add(.mac, now: .system()) == 3)
    }

    @Test func `an operator's command creates no keys, and a server logs once that it creates new ones`() async throws {
        let place = try DatabaseEngine.sqlite.make()
        #expect(throws: IdentityStartupError.noKeys(keys(place).path)) {
            try administration(place).chain(.signing, now: .system())
        }
        #expect(throws: IdentityStartupError.noKeys(keys(place).path)) {
            try administration(place).rotate(.mac, now: .system())
        }
        #expect(!FileManager.default.fileExists(atPath: keys(place).path))
        let log = CapturedLog()
        for starts in 1...2 {
            try await serve(configuration(place), log) { _ in }
            #expect(log.messages.count { $0 == "new keys and a new database are created" } == 1, "start \(starts)")
        }
    }

    @Test(.enabled(if: PostgresCluster.isWanted, "FRESHET_WITHOUT_POSTGRES is set"))
    func `a command without the PostgreSQL setting refuses to use the abandoned SQLite database`()
        async throws
    {
        let place = try DatabaseEngine.sqlite.make()
        try await serve(configuration(place)) { _ = try await signUp($0) }
        let adminService = try AdminService(in: place.folder)
        defer { try? adminService.close() }
        try adminService.checkDatabaseIdentity(in: place.folder)
        var moved = configuration(place)
        moved.database = try DatabaseEngine.postgres.make().postgres
        moved.allowsNewDatabase = true
        try await serve(moved) { _ = try await signUp($0) }
        #expect(throws: IdentityStartupError.abandonedDatabase(place.folder.path)) {
            try adminService.checkDatabaseIdentity(in: place.folder)
        }
        #expect(throws: IdentityStartupError.abandonedDatabase(place.folder.path)) {
            _ = try administration(place).missing()
        }
    }

    @Test(.enabled(if: PostgresCluster.isWanted, "FRESHET_WITHOUT_POSTGRES is set"))
    func `a server with an empty or foreign keys folder does not start on another server's database`() async throws {
        let place = try DatabaseEngine.postgres.make()
        let other = place.folder.appending(path: "other")
        try await serve(configuration(place)) { one in
            let grant = try await signUp(one)
            // With an empty folder, and with keys that it made for another database.
            let theirs = other.appending(path: "keys").path
            #expect(throws: IdentityStartupError.missingKeys(theirs, [1])) { try parts(configuration(place, other)) }
            let elsewhere = try DatabaseEngine.postgres.make()
            try await serve(configuration(elsewhere, other)) { _ in }
            // Beside keys of its own it is one of another database.
            #expect(throws: IdentityStartupError.foreignDatabase(theirs)) { try parts(configuration(place, other)) }
            try FileManager.default.removeItem(at: other.appending(path: "keys/database"))
            #expect(throws: IdentityStartupError.differentKeys(theirs, [1])) { try parts(configuration(place, other)) }
            _ = try await refresh(one, grant.refreshToken)
        }
    }

    @Test(.enabled(if: PostgresCluster.isWanted, "FRESHET_WITHOUT_POSTGRES is set"))
    func `a key whose number another server already uses for a different key is not used`() async throws {
        let place = try DatabaseEngine.postgres.make()
        try await serve(configuration(place)) { one in
            let copy = place.folder.appending(path: "copy")
            try PrivateFiles.prepare(copy)
            try FileManager.default.copyItem(at: keys(place), to: copy.appending(path: "keys"))
            let log = CapturedLog()
            try await serve(configuration(place, copy), log) { two in
                for parts in [one, two] {
                    let administration = parts.keyReloader.administration
                    _ = try administration.add(.mac, now: .system())
                    try administration.promote(.mac, 2, now: .system(), isForced: true)
                    parts.keyReloader.reload()
                }
                #expect(one.keys.current.ring.currentID == 2)
                #expect(two.keys.current.ring.currentID == 1)
                #expect(log.lines.contains { $0["message"] == "the keys cannot be read" })
                // A token of one server is refused by the other only temporarily.
                let grant = try await signUp(one)
                let error = await #expect(throws: APIError.self) { try await refresh(two, grant.refreshToken) }
                #expect(error?.code == .unavailable)
            }
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a token with an unknown key is refused temporarily and logged, a token with a retired key permanently`(
        engine: DatabaseEngine
    ) async throws {
        let place = try engine.make()
        let log = CapturedLog()
        try await serve(configuration(place), log) { parts in
            let grant = try await signUp(parts)
            let token = try RefreshToken(grant.refreshToken)
            var body = token.body
            body.keyID = 7
            for _ in 0..<3 {
                let error = await #expect(throws: APIError.self) {
                    try await refresh(parts, RefreshToken(body: body, mac: token.mac).text)
                }
                #expect(error?.code == .unavailable && error?.retryAfter != nil)
            }
            #expect(log.lines.filter { $0["key"] == "mac-7" && $0["level"] == "error" }.count == 1)
            #expect(parts.metrics.text.contains("freshet_tokens_under_unknown_keys_total 3"))

            let administration = parts.keyReloader.administration
            _ = try administration.add(.mac, now: .system())
            try administration.promote(.mac, 2, now: .system(), isForced: true)
            #expect(throws: KeySchedule.Refusal.needed) { try administration.retire(.mac, 1, now: .system()) }
            try administration.retire(.mac, 1, now: .system(), isForced: true)
            parts.keyReloader.reload()
            let error = await #expect(throws: APIError.self) { try await refresh(parts, grant.refreshToken) }
            #expect(error?.code == .invalidGrant)
        }
        try await serve(configuration(place)) { #expect($0.keys.current.ring.currentID == 2) }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `an announced key is recorded in the database only once it is in use`(engine: DatabaseEngine) async throws {
        let place = try engine.make()
        let ids = "SELECT CAST(id AS TEXT) FROM key_fingerprints WHERE kind = 'mac' ORDER BY id"
        try await serve(configuration(place)) { parts in
            _ = try parts.keyReloader.administration.add(.mac, now: .system())
            parts.keyReloader.reload()
            #expect(try parts.database.readNow { try $0.rows(ids) { try $0[0] as String } } == ["1"])
            try parts.keyReloader.administration.promote(.mac, 2, now: .system(), isForced: true)
            parts.keyReloader.reload()
        }
        #expect(try await query(place, ids) == ["1", "2"])
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `an empty database prevents the start if keys were already used, unless a new database is allowed`(
        engine: DatabaseEngine
    ) async throws {
        let place = try engine.make()
        try await serve(configuration(place)) { _ = try await signUp($0) }
        let again: DatabaseUnderTest
        if let postgres = try engine.make().postgres {
            again = DatabaseUnderTest(folder: place.folder, postgres: postgres)
        } else {
            for name in try files(place.folder) where name.hasPrefix("freshet.sqlite") {
                try FileManager.default.removeItem(at: place.folder.appending(path: name))
            }
            again = place
        }
        let path = keys(place).path
        #expect(throws: IdentityStartupError.lostDatabase(path)) { try parts(configuration(again)) }
        #expect(throws: IdentityStartupError.lostDatabase(path)) { try parts(configuration(again)) }
        var new = configuration(again)
        new.allowsNewDatabase = true
        try await serve(new) { _ = try await signUp($0) }
        try await serve(configuration(again)) { _ = try await signUp($0, "bob") }
        // Left on, it is said to be in the way.
        let log = CapturedLog()
        try await serve(new, log) { _ in }
        #expect(log.messages.contains { $0.hasPrefix("--new-database is not needed any more") })
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `an installation from before keys were recorded starts without warnings, and retired keys stay retired`(
        engine: DatabaseEngine
    ) async throws {
        let place = try engine.make()
        let grant = try await serve(configuration(place)) { parts in
            _ = try parts.keyReloader.administration.add(.mac, now: .system())
            try parts.keyReloader.administration.promote(.mac, 2, now: .system(), isForced: true)
            try parts.keyReloader.administration.retire(.mac, 1, now: .system(), isForced: true)
            parts.keyReloader.reload()
            return try await signUp(parts)
        }
        try await place.opened { database in
            try database.writeNow { database in
                try database.execute("DELETE FROM key_fingerprints")
                try database.execute("DELETE FROM database_identity")
            }
        }
        try FileManager.default.removeItem(at: keys(place).appending(path: "database"))
        let log = CapturedLog()
        try await serve(configuration(place), log) { parts in
            let next = try await refresh(parts, grant.refreshToken)
            let token = try RefreshToken(next.refreshToken)
            var body = token.body
            body.keyID = 1
            let error = await #expect(throws: APIError.self) {
                try await refresh(parts, RefreshToken(body: body, mac: token.mac).text)
            }
            #expect(error?.code == .invalidGrant)
        }
        #expect(!log.lines.contains { ["warning", "error"].contains($0["level"]) })
        #expect(try files(keys(place)).contains("database"))
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a server does not start without the keys of a database from before keys were recorded`(
        engine: DatabaseEngine
    ) async throws {
        let place = try engine.make()
        let grant = try await serve(configuration(place)) { try await signUp($0) }
        try await place.opened { database in
            try database.writeNow { database in
                try database.execute("DELETE FROM key_fingerprints")
                try database.execute("DELETE FROM database_identity")
            }
        }
        let aside = place.folder.appending(path: "aside")
        try FileManager.default.moveItem(at: keys(place), to: aside)
        #expect(throws: IdentityStartupError.missingKeys(keys(place).path, [1])) { try parts(configuration(place)) }
        #expect(!FileManager.default.fileExists(atPath: keys(place).path))
        try FileManager.default.moveItem(at: aside, to: keys(place))
        try await serve(configuration(place)) { _ = try await refresh($0, grant.refreshToken) }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `an older copy of the keys does not bring a retired key back`(engine: DatabaseEngine) async throws {
        let place = try engine.make()
        let copy = place.folder.appending(path: "copy")
        let grant = try await serve(configuration(place)) { parts in
            let administration = parts.keyReloader.administration
            _ = try administration.add(.mac, now: .system())
            try FileManager.default.copyItem(at: keys(place), to: copy)
            let grant = try await signUp(parts)
            try administration.promote(.mac, 2, now: .system(), isForced: true)
            parts.keyReloader.reload()
            try administration.retire(.mac, 1, now: .system(), isForced: true)
            parts.keyReloader.reload()
            return grant
        }
        let newer = place.folder.appending(path: "newer")
        try FileManager.default.moveItem(at: keys(place), to: newer)
        try FileManager.default.moveItem(at: copy, to: keys(place))
        #expect(throws: IdentityStartupError.retiredKey(keys(place).path, 1)) { try parts(configuration(place)) }
        // Nor beside the newer one.
        try FileManager.default.copyItem(
            at: keys(place).appending(path: "mac-1.key"),
            to: newer.appending(path: "mac-1.key")
        )
        try FileManager.default.removeItem(at: keys(place))
        try FileManager.default.moveItem(at: newer, to: keys(place))
        try await serve(configuration(place)) { parts in
            let error = await #expect(throws: APIError.self) { try await refresh(parts, grant.refreshToken) }
            #expect(error?.code == .invalidGrant)
        }
    }

    @Test func `a restored backup records the keys that were retired after it was made, as listed in the keys folder`()
        async throws
    {
        let place = try DatabaseEngine.sqlite.make()
        let copy = place.folder.appending(path: "copy.sqlite")
        try await serve(configuration(place)) { parts in
            try AdminService(database: parts.database, clock: Timestamp.system, authority: .command).backup(to: copy)
            _ = try parts.keyReloader.administration.add(.mac, now: .system())
            try parts.keyReloader.administration.promote(.mac, 2, now: .system(), isForced: true)
            try parts.keyReloader.administration.retire(.mac, 1, now: .system(), isForced: true)
        }
        let file = place.folder.appending(path: "freshet.sqlite")
        for name in try files(place.folder) where name.hasPrefix("freshet.sqlite") {
            try FileManager.default.removeItem(at: place.folder.appending(path: name))
        }
        try FileManager.default.moveItem(at: copy, to: file)
        try await serve(configuration(place)) { #expect($0.keys.current.ring.currentID == 2) }
        let retired = "SELECT CAST(id AS TEXT) FROM key_fingerprints WHERE kind = 'mac' AND retired_at IS NOT NULL"
        #expect(try await query(place, retired) == ["1"])
    }

    @Test func `a keys folder that cannot be written is logged and does not prevent the start`() async throws {
        let place = try DatabaseEngine.sqlite.make()
        try await serve(configuration(place)) { _ in }
        try FileManager.default.removeItem(at: keys(place).appending(path: "database"))
        // In the way of the file that is written first; also for root, who may write in any folder.
        let obstacle = keys(place).appending(path: ".database.\(getpid())")
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
        let log = CapturedLog()
        try await serve(configuration(place), log) { _ in }
        #expect(log.messages.contains { $0.hasPrefix("the keys folder cannot be written") })
    }

    @Test(arguments: ["es256-1.pem", "code-1.key"])
    func `a replaced signing key or code key causes a warning and ends no session`(file: String) async throws {
        let place = try DatabaseEngine.sqlite.make()
        let grant = try await serve(configuration(place)) { try await signUp($0) }
        try FileManager.default.removeItem(at: keys(place).appending(path: file))
        // The folder makes another one, under the next number; a copy of another server's has the same.
        let elsewhere = try DatabaseEngine.sqlite.make()
        try await serve(configuration(elsewhere)) { _ in }
        try FileManager.default.copyItem(
            at: keys(elsewhere).appending(path: file),
            to: keys(place).appending(path: file)
        )
        let log = CapturedLog()
        try await serve(configuration(place), log) { _ = try await refresh($0, grant.refreshToken) }
        let key = try #require(file.split(separator: ".").first)
        #expect(log.lines.contains { $0["level"] == "warning" && $0["key"] == String(key) })
    }
}
