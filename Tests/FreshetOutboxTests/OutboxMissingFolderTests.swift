// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetOutbox
import FreshetTesting
import SessionFixtures
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A missing folder of an outbox` {
    @Test func `an outbox whose folder is missing refuses items, and works again when the folder is back`()
        async throws
    {
        let bench = try await OutboxFixture()
        let place = bench.folder.url.appending(path: "mounted"), away = bench.folder.url.appending(path: "away")
        let outbox = try bench.session.outbox(directory: place)
        await outbox.flush()
        try FileManager.default.moveItem(at: place, to: away)
        let error = await #expect(throws: OutboxError.self) { try await outbox.enqueue(try bench.request("one")) }
        guard case .storeUnavailable(let fault)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fault.kind == .missing)
        #expect(!FileManager.default.fileExists(atPath: place.path))
        try FileManager.default.moveItem(at: away, to: place)
        try await outbox.enqueue(try bench.request("two"))
        try await bench.next("two").answer(200)
        await outbox.flush()
    }
}
