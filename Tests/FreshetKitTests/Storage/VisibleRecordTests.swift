// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import FreshetWire
import SeededRandom
import SessionFixtures
import SimulatedFiles
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A record that another process stored is visible before it is durable.
@Suite(.timeLimit(.minutes(5))) struct `File store and records of killed processes` {
    /// Cuts the power of a volume when a request is sent.
    private struct PowerCut: HTTPTransport {
        let volume: SimulatedVolume
        let system: SimulatedFileSystem
        let sent: AsyncStream<Void>.Continuation

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) { throw URLError(.unknown) }

        func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
            if !system.hasEnded {
                system.end()
                volume.cutPower()
            }
            sent.yield()
            throw URLError(.networkConnectionLost)
        }
    }

    @Test(arguments: 0..<20)
    func `an intent that a killed process stored is durable before another process sends it`(seed: UInt64) async throws
    {
        let directory = URL(filePath: "/home/user/app", directoryHint: .isDirectory)
        let volume = SimulatedVolume(folder: directory.path, random: SeededRandomStream(seed: seed))
        let store = { FileStore(directory: directory, name: "main", environment: .simulated($0)) }
        let observer = store(SimulatedFileSystem(volume, isObserver: true))
        let record = Fixtures.record(Fixtures.stored(3))
        let withIntent = Fixtures.record(Fixtures.stored(3, intent: Intent.random().text))
        try observer.overwrite(with: record)

        // The process is killed at its last call, by which the new name would be durable.
        let killed = SimulatedFileSystem(volume)
        volume.willChange = { system in
            if (try? observer.read()) == withIntent { system.end() }
        }
        #expect(throws: SessionStoreError.self) { try store(killed).replace(record, with: withIntent) }
        volume.willChange = nil

        let system = SimulatedFileSystem(volume)
        let (sent, continuation) = AsyncStream<Void>.makeStream()
        let fixture = SessionFixture()
        let transport = PowerCut(volume: volume, system: system, sent: continuation)
        let session = try fixture.session(store: store(system), transport: transport)
        let refresh = Task { try? await session.refresh() }
        for await _ in sent { break }
        refresh.cancel()
        #expect(try observer.read() == withIntent)
    }
}
