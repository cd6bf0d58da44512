// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    /// The figures of one history, and the invariants that it violated.
    package struct HistoryReport: Sendable, Equatable {
        package var steps = 0
        package var calls = 0
        package var answers = 0
        package var successes = 0
        package var faults: [NetworkFault: Int] = [:]
        package var actions: [Action.Kind: Int] = [:]
        /// The numbers of orders in outboxes: a stored order is applied once, or refused.
        package var orders = Orders()
        /// The counts of events of the transactions, if servers shared a database; otherwise `nil`.
        package var databaseFaults: [DatabaseFaults.Kind: Int]?
        /// The counts of requests that entered by connections; `nil` if requests entered at the router.
        package var connections: ConnectionCounts?
        /// The number of devices that had an older client at the end.
        package var olderClients = 0
        /// The parts of the system that it had beside those of every history.
        package var parts: [String] = []
        /// The number of messages that took up to half a minute.
        package var slowMessages = 0
        /// The number of sessions that a server refused because they had expired.
        package var expiredSessions = 0
        /// The limits of the protocol that it met.
        package var limits: [ProtocolLimit: Int] = [:]
        /// The responses with 429 of the servers, and those of a gateway.
        package var throttled = 0
        package var throttledByGateway = 0
        /// The responses with an error code that the app does not know.
        package var unknownErrors = 0
        /// Whether the devices stored their sessions in files.
        package var hasFileStores = false
        /// The tokens that a resource server verified; `nil` without one.
        var resources: ResourceServerCounts?
        /// The WebSockets; `nil` if the app had none.
        var sockets: SocketCounts?
        /// The number of power failures of devices, and of those that lost a change of a file or name.
        package var devicePowerCuts = 0
        package var lossyDevicePowerCuts = 0
        /// The app whose contract was served.
        package var app: String?
        /// The figures of the device with a foreign backend; `nil` without one.
        package var foreign: ForeignReport?
        /// The figures of the device with an OAuth library; `nil` without one.
        package var oauth: OAuthReport?
        /// Equal for histories with the same events at the same times.
        package var fingerprint: UInt64 = 0
        /// The invariants that were violated, in plain words; empty for correct clients and servers.
        package var violations: [String] = []

        package struct Orders: Sendable, Equatable {
            package var stored = 0
            package var applied = 0
            package var refused = 0
        }
    }
#endif
