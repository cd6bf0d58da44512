// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetTesting
import Testing

@testable import StressWorker

/// The whole SDK under random operations: storms, account switches, sign-outs, siblings and processes on one store,
/// workers that are killed, stores that are locked or fail, all transports, gRPC, sockets and an outbox.
///
/// The backend judges: no request carries another session's token than the one it began in, no token in use is told to
/// the logout endpoint, and at rest every token that the backend still honours is stored or owed a logout.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct `Stress` {
    private static let settings = StressSettings.current
    /// Operations of a household that run side by side.
    private static let hands = 4

    @Test(arguments: StressSettings.current.rules)
    func `no request carries another session's token and no token is lost under random operations`(rule: RotationMode)
        async throws
    {
        let seed = Self.settings.seed
        let journal = EventJournal()
        let random = RandomStream(seed: seed)
        let backend = StressBackend(rule, random, journal)
        print("stress \(rule.rawValue): FRESHET_STRESS_SEED=\(seed) FRESHET_STRESS_SECONDS=\(Self.settings.seconds)")
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-stress-\(UUID())")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        try await StressServer.run(backend) { base in
            try await StressGRPCServer.run(backend) { remote in
                try await Self.run(rule, backend, base, remote, folder, random)
            }
        }
        print(
            "stress \(rule.rawValue): \(journal.counts.sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined(separator: ", "))"
        )
        #expect(journal.violations.isEmpty, "\(journal.report(seed: seed))")
        #expect(journal.counts["requests", default: 0] > 0)
        #expect(journal.counts["logouts", default: 0] > 0)
        #expect(journal.counts["gRPC attempts", default: 0] > 0)
    }

    private static func run(
        _ rule: RotationMode,
        _ backend: StressBackend,
        _ base: URL,
        _ remote: StressGRPCClient,
        _ folder: URL,
        _ random: RandomStream
    ) async throws {
        let journal = backend.journal
        let households = try Self.households(backend, base, remote, folder, random)
        backend.isInUse.withLock {
            $0 = { session, place in
                households.first { place.hasPrefix("\($0.name).") }?.user(of: session, at: place)
            }
        }
        let end = ContinuousClock.now + .seconds(Self.settings.seconds / Double(Self.settings.rules.count))
        let watch = Task {
            guard (try? await Task.sleep(until: end + .seconds(10), clock: .continuous)) != nil else { return }
            print("stress \(rule.rawValue): still under way: \(journal.openOperations)")
        }
        defer { watch.cancel() }
        await withTaskGroup { group in
            for household in households {
                for _ in 0..<Self.hands { group.addTask { await household.act(until: end) } }
            }
        }
        await QuiescenceCheck(households, backend, journal).check()
    }

    private static func households(
        _ backend: StressBackend,
        _ base: URL,
        _ remote: StressGRPCClient,
        _ folder: URL,
        _ random: RandomStream
    ) throws -> [StressScenario] {
        let kinds: [(StressScenario.Carrier, handles: Int, hasWorker: Bool)] = [
            (.inProcess, 1, false), (.inProcess, 2, true), (.asyncHTTPClient, 1, true), (.urlSession, 2, true),
        ]
        return try kinds.enumerated().map { index, kind in
            try StressScenario(
                "h\(index)",
                backend,
                kind.0,
                at: base,
                remote,
                handles: kind.handles,
                hasWorker: kind.hasWorker,
                in: folder,
                random
            )
        }
    }
}
