// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A WebSocket transport without a network: it announces every handshake and lets the test answer it.
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

    /// Nothing has been opened yet.
    ///
    /// - Parameters:
    ///   - clock: The clock of the session; its sleepers are listed in reports.
    ///   - reporter: When and where it reports that a test waits for a handshake that does not come.
    public init(clock: TestClock? = nil, reporter: WaitReporter = .standardError) {
        self.clock = clock
        self.reporter = reporter
    }

    /// Announces a handshake.
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

    /// The next handshake that arrives, or that has arrived and was not asked for yet.
    ///
    /// - Throws: `CancellationError` if the test is cancelled.
    public func next() async throws -> PendingHandshake {
        let report = reporter.task { [clock] in
            "The test waits for a WebSocket handshake.\n" + (clock?.summary ?? "  none has arrived")
        }
        defer { report.cancel() }
        return try await arrivals.next()
    }

    /// Handshakes that arrived and were not asked for.
    public var unclaimed: [PendingHandshake] { arrivals.unclaimed }

    /// How many connections are open.
    public var openConnections: Int { opened.withLock { $0.now } }

    /// The most connections that were ever open at the same time.
    public var maximumOpenConnections: Int { opened.withLock { $0.most } }
}
