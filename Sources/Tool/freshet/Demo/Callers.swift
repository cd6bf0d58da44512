// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import NIOConcurrencyHelpers

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Concurrent callers of one session, with counters of their results.
final class Callers: Sendable {
    struct Counts: Equatable, Sendable {
        var answered = 0
        /// 401 responses that reached a caller.
        var unauthorized = 0
        /// Calls without a response, because the network or the server was unavailable.
        var unreachable = 0
        /// Calls that failed because the session had ended.
        var signedOut = 0
        /// All other results.
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
    /// - Returns: Whether the call succeeded.
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

    /// Runs `count` callers that call repeatedly, with a pause in between, until `end`.
    func run(_ count: Int, until end: ContinuousClock.Instant, pause: Duration) async {
        await withTaskGroup { group in
            for number in 0..<count {
                group.addTask { [self] in
                    // The starts are spread out, like those of real users.
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
