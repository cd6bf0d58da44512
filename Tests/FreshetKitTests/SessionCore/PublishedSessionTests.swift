// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Published sessions` {
    @Test func `a token is due for one caller, from the time of its refresh`() {
        let published = PublishedSession(store: "memory", clock: TestClock().sessionClock())
        published.publish(published.status, token: Fixtures.live(0), refreshAt: .seconds(540))
        let answers = [539, 540, 541, 599, 600].map { published.validToken(at: .seconds($0))?.isDue }
        #expect(answers == [false, true, false, false, nil])
    }

    @Test func `an observer is notified of one accepted request`() {
        let acceptance = TokenAcceptance()
        let count = Locked(0)
        acceptance.signal()
        acceptance.onNext { count.withLock { $0 += 1 } }
        acceptance.signal()
        acceptance.signal()
        #expect(count.withLock { $0 } == 1)
    }

    @Test(arguments: [SessionOwner.user("ann"), .user("ann at home"), .user(""), .session("7"), .session("")])
    func `the name of an owner's folder contains the owner and the origin`(owner: SessionOwner) {
        let parsed = SessionOwner.owner(ofFolder: owner.folder(at: Fixtures.origin))
        #expect(parsed?.owner == owner)
        #expect(parsed?.origin == Fixtures.origin)
    }

    @Test(arguments: ["user at here", "session at here", "user ann", "ann at here"])
    func `a folder with another name has no owner`(text: String) {
        #expect(SessionOwner.owner(ofFolder: FileName.escaped(text)) == nil)
    }
}
