// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import NIOConcurrencyHelpers

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Many callers of one session, who count what happens to them.
final class Callers: Sendable {
    struct Counts: Equatable, Sendable {
        var answered = 0
        /// 401s that reached a caller.
        var unauthorized = 0
        /// Calls without an answer because the network or the server was gone.
        var unreachable = 0
        /// Callers who were told that they are signed out.
        var signedOut = 0
        /// Anything else.
        var unexpected = 0
    }

    private let session: AuthSession
    private let url: URL
    private let tally = NIOLockedValueBox(Counts())

    init(_ session: AuthSession, server: URL) {
        self.session = session
        url = server.appending(path: "v1/me")
    }

    var counts: Counts { tally.withLockedValue { $0 } }

    /// Makes one call.
    ///
    /// - Returns: whether it was answered with what was asked for.
    @discardableResult
    func call() async -> Bool {
        do {
            let (_, response) = try await session.data(for: URLRequest(url: url))
            return tally.withLockedValue { counts in
                switch response.statusCode {
                case 200: counts.answered += 1
                case 401: counts.unauthorized += 1
                default: counts.unexpected += 1
                }
                return response.statusCode == 200
            }
        } catch SessionError.signedOut {
            tally.withLockedValue { $0.signedOut += 1 }
        } catch {
            tally.withLockedValue { $0.unreachable += 1 }
        }
        return false
    }

    /// Lets `count` callers call again and again, with a pause in between, until `end`.
    func run(_ count: Int, until end: ContinuousClock.Instant, pause: Duration) async {
        await withTaskGroup { group in
            for number in 0..<count {
                group.addTask { [self] in
                    // Spread out, as users are.
                    try? await Task.sleep(for: pause * number / count)
                    while ContinuousClock.now < end, !Task.isCancelled {
                        await call()
                        try? await Task.sleep(for: pause)
                    }
                }
            }
        }
    }
}
