// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetKit
    import FreshetOutbox
    import FreshetWire
    import SimulatedFiles

    /// A process of the app, with a session on the device's store.
    final class SimulatedProcess: AppProcess, @unchecked Sendable {
        static let baseURL = "https://" + ServedApp.host

        let name: String
        let session: AuthSession
        /// The process's outbox in the device's folder; `nil` without one, or after its end.
        private(set) var outbox: RequestOutbox?
        private(set) var isKilled = false
        /// The number of the user's sign-outs in this process.
        var signOutsBegun = 0
        /// The number of the last of them that has returned.
        var lastSignOut = 0
        /// The process's WebSocket; `nil` if the app has none.
        private(set) var socket: ProcessSocket?
        private let files: SimulatedFileQueue
        let store: any ProcessStore
        /// The process's system calls on the device's volume; `nil` without one.
        let system: SimulatedFileSystem?
        let transport: SimulatedTransport
        private let ledger: TokenLedger
        /// Whether the device has ever stored a refresh token.
        private let hasStored: (String) -> Bool
        /// Whether an access to the device's store was slow in the last time.
        private let wasSlow: (Duration) -> Bool
        /// Whether the device has ever stored a session, or its sign-out.
        private let hasStoredSession: (String) -> Bool

        /// Starts a process.
        ///
        /// - Parameters:
        ///   - name: The name in the story of the history.
        ///   - device: The device, with its record and its clock.
        ///   - network: The network.
        ///   - holder: The owner of the device's tokens, or a thief.
        /// - Throws: `SessionError` if no session can be created.
        init(_ name: String, on device: Device, network: SimulatedNetwork, as holder: Holder = .owner) throws {
            self.name = name
            ledger = network.ledger
            hasStored = { [weak device] in device?.hasStored($0) ?? false }
            wasSlow = { [record = device.record] in record.wasSlow(inLast: $0) }
            hasStoredSession = { [weak device] in device?.hasStoredSession($0) ?? false }
            let system = device.volume.map { SimulatedFileSystem($0) }
            self.system = system
            files = SimulatedFileQueue(seed: .random(in: 0...(.max)), device.clock)
            store = system.flatMap { device.files?.store($0) } ?? SimulatedStore(device.record)
            let contract = device.contract
            let isNative = device.isNative
            transport = SimulatedTransport(
                network,
                of: name,
                as: holder,
                device.clock,
                version: device.olderClient,
                pauses: RequestedPauses(of: device.generation)
            ) {
                [network] presented, path in
                network.trace.map { device.traceToken(presented, path, as: holder, isNative: isNative, to: $0) }
                // A client without intents presents tokens that it could not store.
                guard isNative, [NativePath.refresh, NativePath.confirm].contains(path) else { return }
                device.checkStored(presented, by: name, network.journal)
            } didReceive: { [ledger = network.ledger] data in
                guard holder == .owner else { return }
                if let token = ServedTokens.refreshToken(in: data), let token = try? RefreshToken(token) {
                    device.lastReceived = token.session.description
                }
                ledger.receivedSessions.received(data, by: name)
                ledger.exchanges.received(data, by: name, isStorable: device.record.isAvailable)
            }
            var configuration = AuthSession.Configuration()
            configuration.networkMonitor = nil
            configuration.backgroundAssertion = nil
            guard let url = URL(string: Self.baseURL) else { throw URLError(.badURL) }
            session = try AuthSession(
                contract: contract,
                baseURL: url,
                store: store,
                configuration: configuration,
                transport: transport,
                clock: device.clock.sessionClock()
            )
            if holder == .owner, let sockets = device.sockets {
                let transport = SimulatedWebSocketTransport(network, sockets, of: name, device.clock)
                socket = try ProcessSocket(session, transport, of: name, network.journal) {
                    [clock = device.clock, record = device.record] in
                    clock.wasAsleep(inLast: $0) || record.wasSlow(inLast: $0)
                }
            }
            if let system, let folder = device.outboxFolder {
                outbox = try session.outbox(
                    directory: URL(filePath: folder, directoryHint: .isDirectory),
                    configuration: OutboxConfiguration(),
                    executor: files.executor,
                    environment: .simulated(system)
                )
            }
        }

        /// Ends the process between two steps: it sends, receives and stores nothing from now on.
        func kill() {
            // The sign-out of a session that could not be stored is in memory until the store is available.
            let status = session.status
            ledger.receivedSessions.ended(name) {
                status.isSaved && (!status.hasPendingLogout || hasStoredSession($0))
            }
            ledger.exchanges.ended(name, isSlow: wasSlow, wasStored: hasStored)
            store.close()
            transport.close()
            socket?.kill()
            files.close()
            system?.end()
            outbox = nil
            isKilled = true
        }
    }
#endif
