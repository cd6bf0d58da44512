// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `Network reachability` {
    @Test func `a response overrides a report of no network until a request fails or the report changes`() {
        var network = NetworkReachability()
        #expect(network.isUp)
        network.report(isUp: false)
        #expect(!network.isUp)
        network.requestEnded(isAnswered: true)
        #expect(network.isUp)
        network.report(isUp: false)
        #expect(network.isUp, "a repeated report is no news")
        network.requestEnded(isAnswered: false)
        #expect(!network.isUp)
        network.requestEnded(isAnswered: true)
        network.report(isUp: true)
        network.report(isUp: false)
        #expect(!network.isUp, "a report after a change is news")
    }

    @Test func `an unsatisfied path on Apple Watch is ignored until a path has been satisfied`() {
        var reports = NetworkPathFilter(on: .watchOS)
        #expect([false, false].map { reports.isUp($0) } == [nil, nil])
        #expect([true, false, true].map { reports.isUp($0) } == [true, false, true])
        for platform in [Platform.iOS, .tvOS, .macOS] {
            var reports = NetworkPathFilter(on: platform)
            #expect(reports.isUp(false) == false)
        }
    }

    /// A monitor that reports no network for ever, as on Apple Watch.
    @Test func `a session with a wrong network monitor refreshes ahead of expiry after a response`() async throws {
        let store = InMemoryStore()
        let (updates, monitor) = AsyncStream.makeStream(of: Bool.self)
        var bench = SessionFixture()
        try await bench.session(store: store).signIn(.test)
        bench.configuration.networkMonitor = SessionNetworkMonitor { updates }
        let session = try bench.session(store: store)
        let events = session.events
        session.enterForeground()
        monitor.yield(false)
        for await event in events where event.kind == .networkChanged(isUp: false) { break }
        bench.clock.advance(by: .seconds(601))
        #expect(try await session.accessToken().value == "access-2")
        for await event in events where event.kind == .networkChanged(isUp: true) { break }
        // A minute before the token's end, as in every foreground, and no caller asks.
        await bench.clock.waitForSleep(for: .seconds(540))
        bench.clock.advance(by: .seconds(540))
        for await event in events { if case .refreshed(let report) = event.kind, report.cause == .ahead { break } }
        #expect(try await session.accessToken().value == "access-3")
    }
}
