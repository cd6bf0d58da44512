// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct `URLSession's WebSockets` {
    #if os(Linux)
        @Test func `a connection attempt reports an unsupported transport if libcurl has no WebSockets`() async throws {
            let request = URLRequest(url: try Fixtures.url("ws://127.0.0.1:9/feed"))
            let error = await #expect(throws: WebSocketError.self) {
                _ = try await URLSessionWebSocketTransport().connect(request, protocols: [], limits: WebSocketLimits())
            }
            // A libcurl that has them finds nobody at that port.
            guard case .unsupported = error else { return #expect(error == .lost) }
        }
    #endif
}
