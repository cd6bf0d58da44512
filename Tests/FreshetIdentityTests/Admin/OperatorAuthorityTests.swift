// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity

@Suite(.timeLimit(.minutes(3)))
struct `The authority of an operator` {
    private let now = Timestamp.system()

    private func account(_ database: any ServerDatabase, isEmailVerified: Bool = false) async throws -> User {
        let email = try #require(EmailAddress("\(UUID())@example.com"))
        let user = User(id: UUID(), email: email, password: "hash", isEmailVerified: isEmailVerified)
        _ = try await database.durably { [now] in try UserTable.insert(user, at: now, in: $0) }
        return user
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `an operator who was signed out meanwhile can end no session and change no account`(
        engine: DatabaseEngine
    ) async throws {
        try await engine.make().opened { [now] database in
            let user = try await account(database)
            let row = SessionRow.start(
                user: user.id,
                mode: .intent,
                device: Device(),
                lifetimes: Lifetimes(),
                keyID: 1,
                now: now
            )
            try await database.durably { try SessionTable.insert(row, in: $0) }
            let adminService = AdminService(database: database, clock: { now }, authority: .page(isSignedIn: { false }))
            let operations: [@Sendable () async throws -> Void] = [
                { _ = try await adminService.end(of: user.id) },
                { _ = try await adminService.end(of: user.id, only: row.id) },
                { _ = try await adminService.disable(user.id) }, { try await adminService.enable(user.id) },
                { _ = try await adminService.delete(user.id) },
            ]
            for operation in operations {
                await #expect(throws: OperatorAuthority.SignedOut.self) { try await operation() }
            }
            let after = try await database.read { database in
                (
                    try UserTable.find(user.id, in: database), try SessionTable.find(row.id, in: database),
                    try UserTable.isDisabled(user.id, in: database), try AuditTable.events(of: user.id, in: database)
                )
            }
            #expect(after.0 == user && after.1 == row && !after.2 && after.3.isEmpty)
        }
    }
}
