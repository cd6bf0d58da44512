// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Testing

@testable import FreshetEngine

@Suite struct `A code by mail` {
    static let now = Timestamp(milliseconds: 1_800_000_000_000)
    let policy = CodePolicy()
    let right: [UInt8] = [1, 2, 3]
    let wrong: [UInt8] = [1, 2, 4]

    private func row(failures: Int = 0, use: CodeAttemptRow.Use? = nil) throws -> CodeAttemptRow {
        CodeAttemptRow(
            id: "a",
            email: try #require(EmailAddress("a@b")),
            codeHash: right,
            expiresAt: Self.now + .seconds(600),
            failures: failures,
            use: use
        )
    }

    @Test func `the correct code is accepted until its expiry`() throws {
        #expect(policy.verify(try row(), codeHash: right, intent: nil, at: .trusted(Self.now)) == .accepted)
        let last = Self.now + .milliseconds(599_999)
        #expect(policy.verify(try row(failures: 4), codeHash: right, intent: nil, at: .trusted(last)) == .accepted)
    }

    @Test func `the correct code is refused after ten minutes`() throws {
        let late = Self.now + .seconds(600)
        #expect(policy.verify(try row(), codeHash: right, intent: nil, at: .trusted(late)) == .refused(nil))
    }

    @Test func `the correct code is refused after five wrong ones`() throws {
        var row = try row()
        for failures in 1...5 {
            guard case .refused(let next?) = policy.verify(row, codeHash: wrong, intent: nil, at: .trusted(Self.now))
            else {
                Issue.record("not counted")
                return
            }
            #expect(next.failures == failures)
            row = next
        }
        #expect(policy.verify(row, codeHash: right, intent: nil, at: .trusted(Self.now)) == .refused(nil))
    }

    @Test(arguments: [[], [1, 2], [1, 2, 3, 0]] as [[UInt8]])
    func `a code whose hash has another length is wrong`(hash: [UInt8]) throws {
        guard case .refused(let next?) = policy.verify(try row(), codeHash: hash, intent: nil, at: .trusted(Self.now))
        else {
            Issue.record("the code is not counted as wrong")
            return
        }
        #expect(next.failures == 1)
    }

    @Test func `a new code is for a sign-in, unused and without failures`() throws {
        let email = try #require(EmailAddress("a@b"))
        let row = CodeAttemptRow(id: "a", email: email, codeHash: right, expiresAt: Self.now)
        #expect(row.purpose == .login && row.failures == 0 && row.use == nil)
    }

    @Test func `a used code returns the same session to the same client only`() throws {
        let session = SessionID.random()
        let used = try row(use: .init(session: session, intent: IntentHash(.owner)))

        #expect(
            policy.verify(used, codeHash: right, intent: IntentHash(.owner), at: .trusted(Self.now))
                == .repeated(session)
        )
        #expect(
            policy.verify(used, codeHash: right, intent: IntentHash(.thief), at: .trusted(Self.now)) == .refused(nil)
        )
        #expect(policy.verify(used, codeHash: right, intent: nil, at: .trusted(Self.now)) == .refused(nil))
    }

    @Test func `a code that was used without an intent is refused afterwards`() throws {
        let used = try row(use: .init(session: .random(), intent: nil))
        #expect(policy.verify(used, codeHash: right, intent: nil, at: .trusted(Self.now)) == .refused(nil))
        #expect(
            policy.verify(used, codeHash: right, intent: IntentHash(.owner), at: .trusted(Self.now)) == .refused(nil)
        )
    }
}

@Suite struct `E-mail addresses` {
    @Test(arguments: [("Ann@Example.COM", "ann@example.com"), (" a@b\n", "a@b"), ("ä@ö.example", "ä@ö.example")])
    func `an e-mail address is stored in lower case and without surrounding whitespace`(text: String, address: String) {
        #expect(EmailAddress(text)?.text == address)
    }

    @Test func `e-mail addresses are compared by their bytes, as in databases`() throws {
        let composed = try #require(EmailAddress("jos\u{E9}@example.com"))
        let decomposed = try #require(EmailAddress("jose\u{301}@example.com"))
        #expect(composed.text == decomposed.text)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
    }

    @Test(arguments: [
        "", " ", "@", "a@", "@b", "a@b@c", "a b@c", "a@b c", "a\u{7}@b", "a\u{202E}@b", "a\u{200B}@b", "a@.b", "a@b.",
        "a@@b", "@a@b", "a@b@", "a@b\u{FE0F}", "a\u{3164}@b", "a@b.\u{FE0F}", "a\u{34F}@b",
        "a@b\r\nBcc: c@d",
        String(repeating: "a", count: 254) + "@b",
    ])
    func `a text that is no valid e-mail address is refused`(text: String) {
        #expect(EmailAddress(text) == nil)
    }
}

@Suite struct `A token bucket` {
    let limit = RateLimit(capacity: 3, interval: .seconds(10))
    let now = Timestamp(milliseconds: 0)

    @Test func `a token bucket allows its capacity immediately, then one token per interval`() {
        var bucket = TokenBucket.full
        for _ in 0..<3 { #expect(bucket.take(limit, now: now) == nil) }
        #expect(bucket.take(limit, now: now) == .seconds(10))
        #expect(bucket.take(limit, now: now + .seconds(4)) == .seconds(6))
        #expect(bucket.take(limit, now: now + .seconds(10)) == nil)
        #expect(bucket.take(limit, now: now + .seconds(10)) == .seconds(10))
    }

    @Test func `a bucket whose fill time is too far in the future counts as an empty one`() {
        var bucket = TokenBucket(fullAt: now + .seconds(40 * 86_400))
        #expect(bucket.take(limit, now: now) == .seconds(10))
        #expect(bucket.take(limit, now: now + .seconds(30)) == .seconds(10), "the clock ran on")
        bucket = TokenBucket(fullAt: now + .seconds(30))
        #expect(bucket.take(limit, now: now + .seconds(10)) == nil)
    }

    @Test func `an empty token bucket is full again after one interval per token`() {
        var bucket = TokenBucket.full
        for _ in 0..<3 { _ = bucket.take(limit, now: now) }
        for _ in 0..<3 { #expect(bucket.take(limit, now: now + .seconds(30)) == nil) }
    }
}
