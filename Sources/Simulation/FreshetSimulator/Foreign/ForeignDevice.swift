// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetKit

    /// A device whose app has a foreign backend: some processes that share a store and a lock.
    final class ForeignDevice: AppDevice, @unchecked Sendable {
        let record = SharedRecord()
        let clock: DeviceClock
        let backend: ForeignBackend
        /// The folder of the lock that lets one process refresh at a time.
        let folder: URL
        var processes: [ForeignProcess] = []
        /// The number of processes that were started.
        var starts = 0
        /// The account that is signed in; `nil` while the user changes it.
        var account: String?
        /// The account whose session has ended for a reason that the invariants expect.
        var endedAccount: String?
        /// The number of sign-ins.
        var signIns = 0
        /// The number of times that the store was unavailable.
        var storeFaults = 0
        /// The session of the last sign-in that succeeded, as the number of its family of tokens.
        var family: Int?
        /// All sessions that it had.
        var families: Set<Int> = []
        /// The accounts that were used.
        var accounts = 0

        var ledger: ForeignLedger { backend.ledger }

        init(_ backend: ForeignBackend, _ clock: DeviceClock, folder: URL) {
            self.clock = clock
            self.backend = backend
            self.folder = folder
            backend.ledger.isStoreAvailable = { [record] in record.isAvailable }
            backend.ledger.isInUse = { [weak self] family in
                guard let self, account != nil else { return false }
                return self.family == family && storedFamily == family
            }
            record.didStore = { [ledger = backend.ledger] record in
                ledger.store(record.flatMap(Self.stored)?.refreshToken)
            }
        }

        /// The parts of the stored session that invariants use.
        struct Stored: Decodable {
            var refreshToken: String?
            var accessToken: String
        }

        private struct StoredRecord: Decodable {
            struct PendingLogout: Decodable {}

            var session: Stored?
            var pendingLogouts: [PendingLogout]
        }

        /// The stored session.
        var session: Stored? { record.record.flatMap(Self.stored) }

        /// Whether the stored record has a sign-out that was not delivered to the backend.
        var hasPendingLogout: Bool { record.record.flatMap(Self.parts(of:))?.pendingLogouts.isEmpty == false }

        /// The session of the stored tokens, as the number of its family of tokens.
        var storedFamily: Int? {
            guard let session else { return nil }
            return session.refreshToken.flatMap(ledger.token(ofText:))?.family
                ?? ledger.accessToken(session.accessToken)?.family
        }

        private static func stored(_ record: SessionRecord) -> Stored? { parts(of: record)?.session }

        private static func parts(of record: SessionRecord) -> StoredRecord? {
            guard let data = try? record.encoded() else { return nil }
            return try? JSONDecoder().decode(StoredRecord.self, from: data)
        }
    }

    /// A process of an app with a foreign backend.
    final class ForeignProcess: AppProcess, @unchecked Sendable {
        static let baseURL = "https://" + ForeignBackend.host

        let name: String
        let session: AuthSession
        private let store: SimulatedStore
        private let transport: SimulatedTransport
        private let ledger: ForeignLedger

        /// Starts a process.
        ///
        /// - Throws: `SessionError` if no session can be created.
        init(_ name: String, on device: ForeignDevice, network: SimulatedNetwork) throws {
            self.name = name
            ledger = device.ledger
            store = SimulatedStore(device.record, lock: ProcessLock(directory: device.folder, file: "refresh"))
            transport = SimulatedTransport(network, of: name, device.clock)
            var configuration = AuthSession.Configuration()
            configuration.networkMonitor = nil
            configuration.backgroundAssertion = nil
            configuration.contractValues = device.backend.preset.values
            guard let url = URL(string: Self.baseURL) else { throw URLError(.badURL) }
            session = try AuthSession(
                contract: device.backend.preset.contract,
                baseURL: url,
                store: store,
                configuration: configuration,
                transport: ForeignTransport(transport, of: name, device.clock, ledger),
                clock: device.clock.sessionClock()
            )
        }

        /// Ends the process between two steps: it sends, receives and stores nothing from now on.
        func kill() {
            store.close()
            ledger.kill(name)
            transport.close()
        }
    }

    /// The transport of a process, which records its refreshes and calls.
    struct ForeignTransport: HTTPTransport {
        private let transport: SimulatedTransport
        private let name: String
        private let clock: DeviceClock
        private let ledger: ForeignLedger

        init(_ transport: SimulatedTransport, of name: String, _ clock: DeviceClock, _ ledger: ForeignLedger) {
            self.transport = transport
            self.name = name
            self.clock = clock
            self.ledger = ledger
        }

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            ledger.checkCall(request, of: name)
            return try await transport.data(for: request)
        }

        func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
            guard let number = ledger.send(request, of: name, deadline: deadline) else {
                return try await transport.exchange(request, deadline: deadline)
            }
            var request = request
            request.setValue("\(number)", forHTTPHeaderField: ForeignLedger.exchangeField)
            let timeout = PossibleTimeout(deadline, on: clock)
            return try await withTaskCancellationHandler { [request] in
                do {
                    let response = try await transport.exchange(request, deadline: deadline)
                    ledger.receive(number, response.0, mayBeLate: timeout.isNow)
                    return response
                } catch {
                    ledger.end(number, .failed)
                    throw error
                }
            } onCancel: {
                ledger.end(number, .cancelled)
            }
        }
    }
#endif
