// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import Testing

@testable import FreshetServer

/// What a line of the audit trail costs beside the refresh that it tells of; `FRESHET_MEASURE=1` prints it.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["FRESHET_MEASURE"] != nil, "FRESHET_MEASURE=1"))
struct `The audit trail's cost` {
    private let server = ServerUnderTest()
    private static let count = 2000

    /// The processor time of this process, in microseconds.
    private static var cpu: Double { Double(clock()) }

    private func each(_ body: () async throws -> Void) async throws -> Double {
        let start = Self.cpu
        for _ in 0..<Self.count { try await body() }
        return (Self.cpu - start) / Double(Self.count)
    }

    @Test func `is a small part of a refresh`() async throws {
        let parts = try ServerParts(
            server.configuration,
            log: server.log.logger,
            clock: { [server] in
                server.advance(by: .seconds(2))
                return server.readClock()
            }
        )
        let credentials = PasswordCredentials(email: "ann@example.com", password: "correct horse")
        var grant = try await parts.signIn.passwords.signUp(credentials, from: Requester())
        await parts.audit.write()
        let refresh = try await each {
            grant = try await parts.sessions.refresh(
                RefreshRequest(refreshToken: grant.refreshToken, intent: Intent.random().text)
            )
        }
        // Nobody has written yet: the trail's service does not run here.
        #expect(parts.audit.figures.waiting == Self.count)
        let start = Self.cpu
        await parts.audit.write()
        let line = (Self.cpu - start) / Double(Self.count)
        print("a refresh: \(Int(refresh)) µs of CPU; its line in the audit trail: \(Int(line)) µs more")
        #expect(line < refresh)
        try await parts.shutDown()
    }
}
