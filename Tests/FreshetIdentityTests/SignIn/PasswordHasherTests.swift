// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import Testing

@testable import FreshetEngine
@testable import FreshetIdentity

@Suite(.timeLimit(.minutes(5)))
struct `Password hashing` {
    private var cost: PasswordCost {
        var cost = PasswordCost()
        cost.logN = 10
        return cost
    }

    /// The hash of "long enough" by a hasher with this cost.
    private func olderHash() async throws -> String {
        let hasher = PasswordHasher(cost)
        let phc = try await hasher.hash("long enough")
        try await hasher.shutDown()
        return phc
    }

    private let full = APIError(.tooManyRequests, "too many logins at once", retryAfter: .seconds(1))

    @Test func `a sign-in beyond the limited queue of password hashing is refused`() async throws {
        var cost = cost
        cost.queue = 2
        let hasher = PasswordHasher(cost, tarpit: Tarpit(pause: {}))
        for _ in 0..<(cost.workers + cost.queue) { try hasher.acquireSlot() }
        await #expect(throws: full) { try await hasher.hash("long enough") }
        await #expect(throws: full) { try await hasher.verify("long enough", against: nil) }
        hasher.releaseSlot()
        // Each gives its place back, so there is room for one after the other.
        _ = try await hasher.hash("long enough")
        #expect(try await hasher.hash("long enough").hasPrefix("$scrypt$ln=10,"))
        try await hasher.shutDown()
    }

    @Test
    func `a refusal of the full hashing queue is delayed while a slot is free, and sent immediately otherwise`()
        async throws
    {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let tarpit = Tarpit(maximumWaiters: 1) {
            begin.yield()
            for await _ in ends { return }
        }
        let hasher = PasswordHasher(cost, tarpit: tarpit)
        for _ in 0..<(cost.workers + cost.queue) { try hasher.acquireSlot() }
        let held = Task { try await hasher.hash("long enough") }
        for await _ in begins { break }
        await #expect(throws: full) { try await hasher.hash("the second is refused at once") }
        end.yield()
        await #expect(throws: full) { try await held.value }
        let next = Task { try await hasher.hash("its place is free again") }
        for await _ in begins { break }
        end.yield()
        await #expect(throws: full) { try await next.value }
        try await hasher.shutDown()
    }

    @Test func `a password is verified in any Unicode normalization, and another password is not`() async throws {
        let hasher = PasswordHasher(cost)
        let phc = try await hasher.hash("pa\u{308}sswort")
        #expect(try await hasher.hash("pa\u{308}sswort") != phc)
        let right = PasswordHasher.Verdict(isRight: true, isOutdated: false)
        #expect(try await hasher.verify("p\u{E4}sswort", against: phc) == right)
        #expect(try await !hasher.verify("passwort", against: phc).isRight)
        #expect(try await !hasher.verify("p\u{E4}sswort", against: nil).isRight)
        #expect(try await !hasher.verify("p\u{E4}sswort", against: "$scrypt$garbage").isRight)
        try await hasher.shutDown()
    }

    @Test func `a stored password with other parameters than a new password is reported as outdated`() async throws {
        let phc = try await olderHash()
        var dearer = cost
        dearer.logN = 11
        let new = PasswordHasher(dearer)
        #expect(try await new.verify("long enough", against: phc) == .init(isRight: true, isOutdated: true))
        try await new.shutDown()
    }

    @Test func `a wrong password takes the same time with an old, cheaper hash as with an unknown address`()
        async throws
    {
        let phc = try await olderHash()
        var dearer = cost
        dearer.logN = 13
        let new = PasswordHasher(dearer)
        #expect(try await !new.verify("wrong enough", against: nil).isRight)
        #expect(new.rounds == 1 << 13)
        #expect(try await !new.verify("wrong enough", against: phc).isRight)
        #expect(new.rounds == 2 << 13)
        #expect(try await new.verify("long enough", against: phc).isRight)
        #expect(new.rounds == (2 << 13) + (1 << 10))
        try await new.shutDown()
    }
}
