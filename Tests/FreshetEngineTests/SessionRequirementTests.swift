// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import Testing

@Suite
struct `Session requirements` {
    private let now = Timestamp(milliseconds: 1_000_000_000)

    private func session(age: Duration = .zero, ended reason: EndReason? = nil) -> SessionRow {
        var row = SessionRow.start(
            user: UUID(),
            mode: .intent,
            device: Device(),
            lifetimes: Lifetimes(),
            keyID: 1,
            now: now + (.zero - age)
        )
        row.ending = reason.map { SessionRow.Ending(at: now, reason: $0) }
        return row
    }

    private func account(isDisabled: Bool = false, password: String? = "hash") -> SessionRequirement.Account {
        SessionRequirement.Account(isDisabled: isDisabled, passwordHash: password)
    }

    private static let requirements: [SessionRequirement] = [
        .alive, .freshSignIn(within: .seconds(600)), .verifiedPassword(hash: "hash"),
    ]

    @Test(arguments: requirements)
    func `every requirement is met by a new session, but not by an ended one or with a disabled account`(
        requirement: SessionRequirement
    ) {
        #expect(requirement.refusal(of: session(), account(), at: .trusted(now)) == nil)
        for reason in EndReason.allCases where reason != .idleTimeout && reason != .absoluteTimeout {
            let ended = session(ended: reason)
            #expect(requirement.refusal(of: ended, account(), at: .trusted(now)) == .sessionOver(reason))
        }
        let late = now + Lifetimes().absolute
        #expect(requirement.refusal(of: session(), account(), at: .trusted(late)) == .sessionOver(.absoluteTimeout))
        #expect(requirement.refusal(of: session(), account(isDisabled: true), at: .trusted(now)) == .accountDisabled)
    }

    @Test func `a sign-in is fresh up to the allowed age, and stale afterwards`() {
        let requirement = SessionRequirement.freshSignIn(within: .seconds(600))
        #expect(requirement.refusal(of: session(age: .seconds(600)), account(), at: .trusted(now)) == nil)
        let stale = session(age: .seconds(600) + .milliseconds(1))
        #expect(requirement.refusal(of: stale, account(), at: .trusted(now)) == .staleSignIn)
        #expect(SessionRequirement.alive.refusal(of: stale, account(), at: .trusted(now)) == nil)
    }

    @Test func `a verified password counts for as long as its hash is the stored one`() {
        let requirement = SessionRequirement.verifiedPassword(hash: "hash")
        let old = session(age: .seconds(86_400))
        #expect(requirement.refusal(of: old, account(), at: .trusted(now)) == nil)
        #expect(requirement.refusal(of: old, account(password: "another"), at: .trusted(now)) == .passwordChanged)
        #expect(requirement.refusal(of: old, account(password: nil), at: .trusted(now)) == .passwordChanged)
    }
}
