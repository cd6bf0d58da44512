// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit
@testable import FreshetOutbox

@Suite(.timeLimit(.minutes(5))) struct `Outbox folders on volumes that ignore case` {
    @Test func `outbox items of an earlier version are sent only for their own user`() async throws {
        let bench = try await OutboxFixture()
        let old = FileName.escapedKeepingCase("user u-ADA@example.com at \(Fixtures.origin)")
        try write("theirs", to: old, of: bench)
        let outbox = try bench.outbox()
        await outbox.flush()
        #expect(bench.transport.unclaimed.isEmpty)
        #expect(outbox.counts.others == 1)
        try await bench.session.signOut()
        try await bench.session.signIn(.password(email: "ADA@example.com", password: "secret"))
        #expect(bench.session.status.userID == "u-ADA@example.com")
        try await bench.next("theirs").answer(200)
        await outbox.flush()
        #expect(bench.files.isEmpty)
    }

    @Test func `items that an earlier version stored in between are moved to the user's folder and sent`() async throws
    {
        let bench = try await OutboxFixture(isSignedIn: false)
        let account = SessionOwner.user("u-ADA@example.com")
        try write("new", to: account.folder(at: Fixtures.origin), of: bench)
        try write("old", to: FileName.escapedKeepingCase("user u-ADA@example.com at \(Fixtures.origin)"), of: bench)
        try await bench.session.signIn(.password(email: "ADA@example.com", password: "secret"))
        let outbox = try bench.outbox()
        let bodies = [try await bench.transport.next(), try await bench.transport.next()].map { pending in
            defer { pending.answer(200) }
            return pending.body
        }
        #expect(Set(bodies) == ["new", "old"])
        await outbox.flush()
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.url.path).count == 1)
    }

    private func write(_ body: String, to name: String, of bench: OutboxFixture) throws {
        let path = bench.folder.url.appending(path: name).path
        let folder = try #require(try OutboxFolder(path, creating: true, Locked(0)))
        let item = try OutboxItem(try bench.request(body), key: nil, dropping: [])
        let draft = OutboxFolder.Draft(id: UUID(), lane: body, bytes: try item.encoded())
        _ = try folder.append([[draft]], at: bench.clock.wall, within: OutboxConfiguration())
    }
}
