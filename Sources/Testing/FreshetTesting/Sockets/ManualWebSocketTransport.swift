// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A WebSocket transport without a network, whose handshakes the test answers.
///
///     let transport = ManualWebSocketTransport()
///     let socket = try session.socket(url, transport: transport)
///     await socket.connect()
///     let connection = try await transport.next().accept()
///     connection.deliver(.text("hello"))
public final class ManualWebSocketTransport: WebSocketTransport {
    private let arrivals = AsyncQueue<PendingHandshake>()
    private let opened = Locked((now: 0, most: 0))
    private let reporter: WaitReporter
    private let clock: TestClock?

    /// Creates a transport without connections.
    ///
    /// - Parameters:
    ///   - clock: The clock of the session; reports list its sleepers.
    ///   - reporter: Reports that a test waits for a handshake that does not arrive.
    public init(clock: TestClock? = nil, reporter: WaitReporter = .standardError) {
        self.clock = clock
        self.reporter = reporter
    }

    /// Hands a handshake to the test.
    public func connect(
        _ request: URLRequest,
        protocols: [String],
        limits: WebSocketLimits
    ) async throws -> any WebSocketConnection {
        let handshake = PendingHandshake(request, protocols) { [opened] change in
            opened.withLock { counts in
                counts.now += change
                counts.most = max(counts.most, counts.now)
            }
        }
        arrivals.put(handshake)
        return try await handshake.outcome()
    }

    /// Returns the next handshake that arrives, or one that arrived earlier and was not taken.
    ///
    /// - Throws: `CancellationError` if the test is cancelled.
    public func next() async throws -> PendingHandshake {
        let report = reporter.task { [clock] in
            "The test waits for a WebSocket handshake.\n" + (clock?.summary ?? "  none has arrived")
        }
        defer { report.cancel() }
        return try await arrivals.next()
    }

    /// Handshakes that arrived and were not taken.
    public var unclaimed: [PendingHandshake] { arrivals.unclaimed }

    /// The number of open connections.
    public var openConnections: Int { opened.withLock { $0.now } }

    /// The maximum number of connections that were open at the same time.
    public var maximumOpenConnections: Int { opened.withLock { $0.most } }
}
