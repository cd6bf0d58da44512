// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import ServerFixtures
import Testing

@testable import FreshetDatabase

@Suite(.timeLimit(.minutes(3)))
struct `Any database` {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func session(_ user: UUID = UUID(), mode: RotationState.Mode = .intent) -> SessionRow {
        let device = Device(name: "Ann's \u{1F4F1}", platform: "ios", app: "notes", appVersion: "1.2")
        return SessionRow.start(user: user, mode: mode, device: device, lifetimes: Lifetimes(), keyID: 1, now: now)
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a database returns stored sessions unchanged after it is reopened`(engine: DatabaseEngine) async throws {
        let place = try engine.make()
        var row = session()
        row.rotation.intent = IntentHash(.random())
        row.place = "198.51.100.0"
        row.run = RefreshStreak(
            since: now,
            at: now + .seconds(9),
            times: 7,
            generation: 9,
            source: SourceAddress("2001:db8::7")
        )
        var ended = session(row.user)
        ended.run = RefreshStreak(since: now, at: now, generation: 0, source: nil)
        ended.ending = SessionRow.Ending(at: now + .seconds(1), reason: .fork)
        let (one, two) = (row, ended)
        try await place.opened { database in
            try await database.durably { database in
                try SessionTable.insert(one, in: database)
                try SessionTable.insert(two, in: database)
            }
        }
        try await place.opened { [now] database in
            let found = try await database.read { database in
                try [one.id, two.id, .random()].map { try SessionTable.find($0, in: database) }
            }
            #expect(found == [one, two, nil])
            #expect(try await database.read { try SessionTable.live(of: one.user, at: now, in: $0) } == [one])
            #expect(try database.readNow { try SessionTable.all(of: one.user, limit: 9, in: $0).count } == 2)
            let endings = try await database.read { try SessionTable.endings(after: .before(now), limit: 9, in: $0) }
            #expect(endings.map(\.id) == [two.id] && endings.map(\.reason) == [.fork])
            let ends = try await database.read { try SessionTable.ends(after: nil, limit: 9, in: $0) }
            #expect(Set(ends.map(\.runAt)) == [now, now + .seconds(9)])
            #expect(ends.map(\.platform) == ["ios", "ios"] && ends.map(\.appVersion) == ["1.2", "1.2"])
            let place = SessionEndPosition(at: now, session: one.id)
            let feed = try await database.read { try SessionTable.endings(after: place, limit: 9, in: $0) }
            #expect(feed.map(\.id) == [two.id])
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a database reads devices stored by earlier versions, and devices with missing fields`(
        engine: DatabaseEngine
    ) async throws {
        let (row, now) = (session(), now)
        try await engine.make().opened { database in
            try await database.durably { try SessionTable.insert(row, in: $0) }
            let texts: [(String, Device)] = [
                (
                    #"{"name":"Ann’s \"7\"","platform":"iOS","app_version":"3"}"#,
                    Device(name: #"Ann’s "7""#, platform: "iOS", appVersion: "3")
                ),
                ("{}", Device()), ("[]", Device()), (#"[null,"iOS"]"#, Device(platform: "iOS")),
            ]
            for (text, device) in texts {
                _ = try await database.durably {
                    try $0.execute("UPDATE sessions SET device = ? WHERE id = ?", [text, row.id])
                }
                let (found, end) = try await database.read {
                    (
                        try SessionTable.live(of: row.user, at: now, in: $0),
                        try SessionTable.ends(after: nil, limit: 9, in: $0)
                    )
                }
                #expect(found.map(\.device) == [device] && end.map(\.platform) == [device.platform])
                #expect(end.map(\.appVersion) == [device.appVersion])
                #expect(try StoredDevice.device(StoredDevice.text(of: device)) == device)
            }
            #expect(StoredDevice.text(of: Device(platform: "iOS")) == #"[null,"iOS"]"#)
            #expect(throws: SQLError.self) { try StoredDevice.device("7") }
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `paging through all sessions returns each once, even after the last one is deleted`(engine: DatabaseEngine)
        async throws
    {
        let rows = (0..<5).map { _ in session() }
        try await engine.make().opened { database in
            try await database.durably { for row in rows { try SessionTable.insert(row, in: $0) } }
            var met: [SessionID] = []
            var last: SessionTable.End?
            repeat {
                last = try await database.read { [last] in try SessionTable.ends(after: last, limit: 1, in: $0) }.first
                guard let id = last?.id else { break }
                met.append(id)
                _ = try await database.durably { try $0.execute("DELETE FROM sessions WHERE id = ?", [id]) }
            } while met.count < 9
            #expect(met.count == 5)
            #expect(Set(met) == Set(rows.map(\.id)))
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a change based on an outdated or ended session row is not written`(engine: DatabaseEngine) async throws {
        let row = session()
        var (first, second, over) = (row, row, row)
        first.rotation.intent = IntentHash(.random())
        second.rotation.current = 1
        over.ending = SessionRow.Ending(at: now, reason: .logout)
        var counted = row
        counted.run = RefreshStreak(since: now, at: now, generation: 0, source: SourceAddress("192.0.2.1"))
        // Three servers in one millisecond: no place is overwritten by whoever has not seen it.
        var elsewhere = counted
        elsewhere.run?.source = SourceAddress("192.0.2.2")
        let steps = [
            (row, counted), (row, first), (elsewhere, first), (counted, first), (row, second), (first, over),
            (over, first),
        ]
        try await engine.make().opened { database in
            let written = try await database.durably { database in
                try SessionTable.insert(row, in: database)
                return try steps.map { try SessionTable.replace($0, by: $1, in: database) }
            }
            #expect(written == [true, false, false, true, false, true, false])
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `exactly one of many concurrent decisions on the same session row is written`(engine: DatabaseEngine)
        async throws
    {
        let place = try engine.make()
        let (one, two) = (try place.open(), try place.openBeside())
        let row = session()
        try await one.durably { try SessionTable.insert(row, in: $0) }
        let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let won = try await (number % 2 == 0 ? one : two).change(row.id) { row -> SessionChange<Bool> in
                        guard row.rotation.intent == nil else { return SessionChange(value: false) }
                        var new = row
                        new.rotation.intent = IntentHash(.random())
                        return SessionChange(value: true, row: new)
                    }
                    return won == true
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wins == 1)
        try one.close()
        try two.close()
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `an audit event is stored atomically with its session change, and only if that is written`(
        engine: DatabaseEngine
    ) async throws {
        let place = try engine.make()
        let (one, two) = (try place.open(), try place.openBeside())
        let row = session()
        try await one.durably { try SessionTable.insert(row, in: $0) }
        // Everybody ends the run that is there, and begins one of their own.
        try await withThrowingTaskGroup(of: Void.self) { [now] group in
            for number in 1...40 {
                group.addTask {
                    _ = try await (number % 2 == 0 ? one : two).change(row.id) { row -> SessionChange<Int> in
                        var new = row
                        let source = SourceAddress("192.0.2.\(number)")
                        new.run = RefreshStreak(since: now, at: now, generation: UInt64(number), source: source)
                        return SessionChange(value: 0, row: new, record: row.run.map { AuditEvent($0, of: row) })
                    }
                }
            }
            try await group.waitForAll()
        }
        let (noted, last) = try await one.read { database in
            (try AuditTable.events(of: row.id, in: database), try SessionTable.find(row.id, in: database)?.run)
        }
        let generations = (noted.compactMap(\.generation) + [last?.generation].compactMap(\.self)).sorted()
        #expect(generations == (1...40).map { UInt64($0) })
        #expect(noted.allSatisfy { $0.source == "192.0.2.\($0.generation ?? 0)" && $0.user == row.user && $0.isPlain })
        try one.close()
        try two.close()
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a session's audit events remain readable regardless of the number of forged tokens`(
        engine: DatabaseEngine
    ) async throws {
        let row = session()
        try await engine.make().opened { [now] database in
            try await database.backgroundWrite { database in
                var login = AuditEvent(at: now, kind: .login)
                login.session = row.id
                try AuditTable.insert(login, in: database)
                let run = RefreshStreak(since: now, at: now, generation: 0, source: nil)
                try AuditTable.insert(AuditEvent(run, of: row), in: database)
                var forged = AuditEvent(at: now + .seconds(1), kind: .refresh)
                forged.session = row.id
                forged.outcome = "forged"
                for _ in 0...AuditTable.limit { try AuditTable.insert(forged, in: database) }
            }
            let events = try await database.read { try AuditTable.events(of: row.id, in: $0) }
            #expect(events.prefix(2).map(\.kind) == [.login, .refresh] && events[1].outcome == nil)
            #expect(events.count == 2 + AuditTable.limit)
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `concurrent queries return their own results, and a query of a closed database fails`(
        engine: DatabaseEngine
    ) async throws {
        struct Refused: Error {}
        let database = try engine.make().open()
        let rows = (0..<20).map { _ in session() }
        try await database.durably { database in for row in rows { try SessionTable.insert(row, in: database) } }
        func read(_ number: Int) async throws -> SessionRow? {
            try await withCheckedThrowingContinuation { continuation in
                database.query({ database in
                    if number % 7 == 6 { throw Refused() }
                    return try SessionTable.find(rows[number % rows.count].id, in: database)
                }) { continuation.resume(with: $0) }
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask {
                    do {
                        let found = try await read(number)
                        #expect(found == rows[number % rows.count] && number % 7 != 6)
                    } catch {
                        #expect(error is Refused && number % 7 == 6)
                    }
                }
            }
        }
        // Nothing is seen of what is not committed, and everything of what is.
        var ended = rows[0]
        ended.ending = SessionRow.Ending(at: now, reason: .logout)
        let new = ended
        let isEnded = try await database.durably { try SessionTable.replace(rows[0], by: new, in: $0) }
        #expect(isEnded)
        #expect(try await read(0) == new)
        try database.close()
        await #expect(throws: (any Error).self) { try await read(0) }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a database counts every one of several concurrent wrong codes`(engine: DatabaseEngine) async throws {
        let place = try engine.make()
        let (one, two) = (try place.open(), try place.openBeside())
        let email = try #require(EmailAddress("ann@example.com"))
        let row = CodeAttemptRow(id: "a", email: email, codeHash: [1, 2], expiresAt: now + .seconds(60))
        try await one.durably { [now] in try CodeAttemptTable.insert(row, from: nil, deletingExpiredBefore: now, in: $0)
        }
        var policy = CodePolicy()
        policy.maximumFailures = 100
        try await withThrowingTaskGroup(of: Void.self) { [policy] group in
            for number in 0..<12 {
                group.addTask {
                    try await (number % 2 == 0 ? one : two).durably { [now] database in
                        let reading = ClockReading.trusted(now)
                        _ = try CodeAttemptTable.evaluate(
                            "a",
                            for: .login,
                            codeHash: [3],
                            policy,
                            at: reading,
                            in: database
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await two.read { try CodeAttemptTable.find("a", in: $0)?.failures } == 12)
        let open = try await two.read { [now] in try CodeAttemptTable.open(of: email, from: nil, at: now, in: $0).first
        }
        #expect(open == "a")
        try one.close()
        try two.close()
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `an account's email address is unique, and a failed transaction is rolled back`(engine: DatabaseEngine)
        async throws
    {
        struct Refused: Error {}
        let email = try #require(EmailAddress("ann@example.com"))
        let (ann, other) = (User(id: UUID(), email: email, password: "x"), User(id: UUID(), email: email))
        try await engine.make().opened { [now] database in
            await #expect(throws: Refused.self) {
                try await database.durably { database in
                    _ = try UserTable.insert(other, at: now, in: database)
                    throw Refused()
                }
            }
            let isNew = try await database.durably { database in
                [try UserTable.insert(ann, at: now, in: database), try UserTable.insert(other, at: now, in: database)]
            }
            #expect(isNew == [true, false])
            #expect(try await database.read { try UserTable.find(email, in: $0) } == ann)
            #expect(try await database.read { try UserTable.has(email, in: $0) })
            try await database.durably { database in
                let authority = try AccountAuthority(ann.id, by: .command)
                try AppleAccountTable.insert("sub", at: now, by: authority, in: database)
                try UserTable.markEmailVerified(at: now, by: authority, in: database)
                try AppleAccountTable.insert("sub", at: now, by: authority, in: database)
            }
            #expect(try await database.read { try AppleAccountTable.user(of: "sub", in: $0)?.isEmailVerified } == true)
            let account = try #require(try database.readNow { try UserTable.account(email, at: now, in: $0) })
            #expect(account.id == ann.id && account.hasApple && !account.hasPassword && account.sessions == 0)
            #expect(try await database.read { try AccountSummary.find(ann.id, in: $0) }?.number == account.number)
            #expect(try database.readNow { try UserTable.accounts(after: 0, limit: 9, at: now, in: $0) } == [account])
            try await database.durably {
                try UserTable.setDisabled(now, by: AccountAuthority(ann.id, by: .command), in: $0)
            }
            let row = session(ann.id)
            await #expect(throws: APIError.self) { try await database.durably { try SessionTable.insert(row, in: $0) } }
            try await database.durably { try UserTable.delete(by: AccountAuthority(ann.id, by: .command), in: $0) }
            #expect(try await database.read { try UserTable.find(ann.id, in: $0) } == nil)
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `an account whose address is no longer permitted can be read, disabled and deleted`(engine: DatabaseEngine)
        async throws
    {
        let email = EmailAddress(stored: "ann\u{3164}@example.com")
        #expect(EmailAddress(email.text) == nil)
        let ann = User(id: UUID(), email: email)
        try await engine.make().opened { [now] database in
            #expect(try await database.durably { try UserTable.insert(ann, at: now, in: $0) })
            #expect(try await database.read { try UserTable.find(ann.id, in: $0) } == ann)
            #expect(try await database.read { try UserTable.mailAddresses(of: ann.id, in: $0) } == [email])
            try await database.durably { database in
                let authority = try AccountAuthority(ann.id, by: .command)
                try UserTable.setDisabled(now, by: authority, in: database)
                try UserTable.delete(by: authority, in: database)
            }
            #expect(try await database.read { try UserTable.find(ann.id, in: $0) } == nil)
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a proof is used only once, and the counts of a rate limit add up across servers`(engine: DatabaseEngine)
        async throws
    {
        let place = try engine.make()
        let (one, two) = (try place.open(), try place.openBeside())
        let good = try await withThrowingTaskGroup(of: Bool.self) { [now] group in
            for number in 0..<8 {
                group.addTask {
                    try await (number % 2 == 0 ? one : two).durably { database in
                        try UsedProofTable.markUsed(
                            [7],
                            until: now + .seconds(9),
                            for: nil,
                            deletingExpiredBefore: now,
                            in: database
                        )
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(good == 1)
        let (key, limit) = (RateLimitKey.codeAttempt("k").digest, RateLimit(capacity: 4, interval: .seconds(5)))
        for (number, database) in [one, two, one, two, one].enumerated() {
            let bucket = try await database.backgroundWrite { [now] in
                try RateLimitTable.add(.seconds(5), to: key, limit, at: now, in: $0)
            }
            // An empty bucket gets no emptier.
            #expect(bucket.fullAt == now + .seconds(5 * min(number + 1, 4)))
        }
        let kept = try two.readNow { [now] in try RateLimitTable.all(at: now, limit: 9, in: $0) }
        #expect(kept.map(\.0) == [key])
        #expect(kept.map(\.1) == [TokenBucket(fullAt: now + .seconds(20))])
        // A clock that was ahead left this behind.
        let early = now + .seconds(-3600)
        let clamped = try await one.backgroundWrite {
            try RateLimitTable.add(.seconds(5), to: key, limit, at: early, in: $0)
        }
        #expect(clamped.fullAt == early + .seconds(20))
        try one.close()
        try two.close()
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `audit events, metrics and page sessions are stored and later deleted`(engine: DatabaseEngine) async throws {
        let row = session()
        try await engine.make().opened { [now] database in
            try await database.backgroundWrite { database in
                var event = AuditEvent(at: now, kind: .login)
                event.user = row.user
                event.session = row.id
                event.source = "198.51.100.7"
                for _ in 1...3 { try AuditTable.insert(event, in: database) }
                for node in ["a", "b"] {
                    try MetricsTable.recordUptime(now.minute, node: node, in: database)
                    try MetricsTable.recordUptime(now.minute, node: node, in: database)
                    try MetricsTable.add(
                        [MetricSeries(.signOuts, "logout"): 2],
                        minute: now.minute,
                        node: node,
                        in: database
                    )
                    try MetricsTable.add(
                        [MetricSeries(.signOuts, "logout"): 1],
                        minute: now.minute,
                        node: node,
                        in: database
                    )
                }
                try SessionTable.insert(row, in: database)
                try PageSessionTable.put(Data([1, 2, 3]), row, in: database)
                try ServerStateTable.set("n", 1, in: database)
                try ServerStateTable.set("n", 2, in: database)
            }
            #expect(try await database.read { try AuditTable.events(of: row.id, in: $0).map(\.source) }.count == 3)
            #expect(try await database.read { try ServerStateTable.get("n", in: $0) } == 2)
            let sums = try await database.read {
                try MetricsTable.sums(from: now.minute - 5, until: now.minute + 5, step: 1, in: $0)
            }
            #expect(sums.first { $0.figure.name == .signOuts }?.value == 6)
            #expect(sums.first { $0.figure.name == .uptimeMinutes }?.value == 1)
            #expect(try await database.read { try PageSessionTable.session(of: Data([1, 2, 3]), in: $0) } == row)
            let later = now + .seconds(400 * 86_400)
            let forgotten = try await database.backgroundWrite { database in
                [
                    try AuditTable.forget(plain: false, before: later, batch: 2, in: database),
                    try PageSessionTable.deleteExpired(before: later, batch: 9, in: database),
                    try SessionTable.delete([row.id], endedBefore: later, in: database),
                    try MetricsTable.rollUp(from: 0, before: later.minute, in: database) == nil ? 0 : 1,
                    try MetricsTable.deleteOldest(before: later.minute, in: database),
                ]
            }
            #expect(forgotten == [2, 1, 1, 1, 4])
        }
    }
}
