// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetOutbox
import Testing

extension `The SDK with the apps' presets` {
    @Test(arguments: FiveApp.allCases, AppDeployment.Kind.allCases)
    func `a waiting write is sent after a forced sign-in of the same user`(
        app: FiveApp,
        kind: AppDeployment.Kind
    ) async throws {
        try await PresetApp.run(app, kind) { preset in
            try await preset.signIn()
            let user = try preset.subject
            let outbox = try preset.outbox()
            try await outbox.enqueue(try preset.request())
            await outbox.flush()
            #expect(outbox.counts == OutboxCounts())
            #expect(preset.senders == [user])

            try await preset.enqueueAfterEnd(outbox)
            // Held from the moment the outbox has heard of the session's end.
            #expect(outbox.counts.held + outbox.counts.waiting == 1 && preset.senders == [user])
            try await preset.signIn()
            await outbox.flush()
            #expect(outbox.counts == OutboxCounts())
            #expect(preset.senders == [user, user])
            #expect(try await preset.call() == app.resource.status)
        }
    }

    @Test(arguments: FiveApp.allCases, AppDeployment.Kind.allCases)
    func `a write waits for its user while another user is signed in`(app: FiveApp, kind: AppDeployment.Kind)
        async throws
    {
        try await PresetApp.run(app, kind) { preset in
            try await preset.signIn()
            let user = try preset.subject
            let outbox = try preset.outbox()
            try await preset.enqueueAfterEnd(outbox)

            try await preset.signIn(AppDeployment.people[1])
            let other = try preset.subject
            #expect(other != user)
            await outbox.flush()
            #expect(outbox.counts.others == 1 && outbox.counts.unknown == 0 && outbox.counts.waiting == 0)
            try await outbox.enqueue(try preset.request())
            await outbox.flush()
            #expect(preset.senders == [other])

            try await preset.signIn()
            await outbox.flush()
            #expect(outbox.counts == OutboxCounts())
            #expect(preset.senders == [other, user])
        }
    }
}
