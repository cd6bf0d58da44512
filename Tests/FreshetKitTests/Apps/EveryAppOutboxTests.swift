// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetOutbox
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The outbox with each app's preset and the fake of its backend, on a clock that the test moves.
@Suite(.timeLimit(.minutes(5))) struct `Every app's outbox` {
    @Test(arguments: AppBackend.App.allCases)
    func `an outbox flush ends when the session was ended, and the write is sent after the next sign-in`(
        app: AppBackend.App
    ) async throws {
        // Longer than the pause before a wordless 401 is confirmed, or the flush ends before the session.
        let stage = AppFixture(app, callerTimeout: .seconds(10))
        let session = try await stage.signedIn()
        let folder = try Folder()
        let outbox = try session.outbox(directory: folder.url)
        stage.backend.endSessions()
        let url = try #require(URL(string: "https://api.example.com\(stage.resource.path)"))
        var request = URLRequest(url: url)
        request.httpMethod = stage.resource.method
        try await outbox.enqueue(request)
        // The pause before a wordless 401 is confirmed is on this clock.
        await stage.clock.skipPauses { await outbox.flush() }
        // Held from the moment the outbox has heard of the session's end.
        #expect(outbox.counts.held + outbox.counts.waiting == 1)
        guard case .signedOut(_?) = session.state else {
            Issue.record("\(session.state)")
            return
        }
        try await stage.signIn(session)
        await stage.clock.skipPauses { await outbox.flush() }
        #expect(outbox.counts == OutboxCounts())
        let calls = stage.backend.exchanges.filter { $0.request.path == stage.resource.path && $0.status != 401 }
        #expect(calls.map(\.status) == [stage.resource.status])
    }
}
