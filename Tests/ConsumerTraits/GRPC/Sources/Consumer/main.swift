// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetGRPC
import FreshetKit
import FreshetTesting
import GRPCCore

// An app whose gRPC client carries a session's token, against a server in this process.

struct Failure: Error { var what: String }

func expect(_ holds: Bool, _ what: String) throws {
    if !holds { throw Failure(what: what) }
}

do {
    try await Calls.run { call in
        // One refusal: one refresh and one replay.
        var (session, tokens) = try await call.session()
        try expect(try await call.unary(session) == "access-2", "a refused call is sent again with the new token")
        try expect(call.seen() == ["access-1", "access-2"], "once each")

        // A server that refuses for ever.
        (session, tokens) = try await call.session()
        call.refuse(everything: true)
        try expect(try await call.code(session) == .unauthenticated, "the second refusal is the caller's")
        try expect(call.seen().count == 2 && tokens.counts.refreshes == 1, "after one refresh and one replay")
        call.refuse(everything: false)

        // Many at once.
        (session, tokens) = try await call.session()
        let crowd = session
        var answers: Set<String> = []
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await call.unary(crowd) } }
            for try await answer in group { answers.insert(answer) }
        }
        try expect(answers == ["access-2"] && tokens.counts.refreshes == 1, "fifty refused calls cost one refresh")
        _ = call.seen()

        // A stream of requests is sent again only if the app says so.
        (session, tokens) = try await call.session()
        try expect(try await call.stream(session) == nil, "a stream of requests is not sent again")
        try expect(call.seen() == ["access-1"], "not even a part of it")
        (session, tokens) = try await call.session()
        let answer = try await call.stream(session) { _ in true }
        try expect(answer == "access-2: abc", "unless the app allows it")
        _ = call.seen()

        // The server has ended the session.
        (session, tokens) = try await call.session()
        tokens.endSessions(reason: "revoked")
        try expect(try await call.code(session) == .unauthenticated, "a session that is over is told as such")
        try expect(call.seen() == ["access-1"], "without another call")

        // A server that was away for a while, and a token that has expired meanwhile.
        (session, tokens) = try await call.session()
        call.fail([.unavailable, .unavailable])
        var interceptor = try call.interceptor(session)
        let late = try await call.unary(session, by: interceptor, Calls.unavailablePolicy)
        try expect(late == "access-2" && tokens.counts.refreshes == 1, "an expired token is refreshed at any attempt")
        try expect(call.seen() == ["access-1", "access-1", "access-1", "access-2"], "and the call sent once more")
        (session, tokens) = try await call.session()
        call.refuse(everything: true)
        call.fail([.unavailable])
        interceptor = try call.interceptor(session)
        let refused = try await call.code(session, by: interceptor, Calls.unavailablePolicy)
        try expect(refused == .unauthenticated && tokens.counts.refreshes == 1, "a server that refuses everything")
        try expect(call.seen() == ["access-1", "access-1", "access-2"], "gets one replay all the same")
        call.refuse(everything: false)

        // Another user signs in while a call waits to be sent again.
        for isBound in [false, true] {
            for code in [RPCError.Code.unavailable, .unauthenticated] {
                let (one, _) = try await call.session()
                let first = try call.interceptor(one)
                call.fail([code]) {
                    try await one.signIn(.password(email: "bob@example.com", password: "correct horse"))
                }
                let ended =
                    isBound
                    ? try await one.bindingCalls { try await call.code(one, by: first, Calls.unavailablePolicy) }
                    : try await call.code(one, by: first, Calls.unavailablePolicy)
                try expect(ended == .unauthenticated, "a call ends with its session: \(String(describing: ended))")
                try expect(call.lastCause == .signedOut(.replaced), "which another one has replaced")
                try expect(call.seen() == ["access-1"], "and is not sent with the next user's token")
                let next =
                    isBound
                    ? try await one.bindingCalls { try await call.code(one, by: first) }
                    : try await call.code(one, by: call.interceptor(one))
                try expect(next == nil, "calls of the next session go on: \(String(describing: next))")
                if !isBound {
                    let stale = try await call.code(one, by: first)
                    try expect(stale == .unauthenticated, "an interceptor serves one session")
                }
                _ = call.seen()
            }
        }

        // Origins.
        (session, _) = try await call.session()
        for text in ["https://other.example.com", "http://api.example.com", "https://api.example.com:8443"] {
            guard let url = URL(string: text) else { continue }
            do {
                _ = try SessionInterceptor(session: session, origin: url)
                throw Failure(what: "the token does not go to \(text)")
            } catch SessionError.misconfigured {}
        }
        try await call.expectSecrecyWithoutTLS()
    }
    print("an app with gRPC builds and runs")
} catch {
    print("failed: \(error)")
    exit(1)
}
