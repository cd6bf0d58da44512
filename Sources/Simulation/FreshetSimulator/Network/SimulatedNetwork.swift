// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import SeededRandom

    /// The network of one history, with its faults; used on the simulator's thread only.
    final class SimulatedNetwork: @unchecked Sendable {
        typealias Server = @Sendable (URLRequest) async throws -> (Data, HTTPURLResponse)

        /// The fault and the delays of one request.
        struct Fate {
            var fault: NetworkFault?
            var requestDelay: Duration
            var replyDelay: Duration
            /// The time after which a repetition arrives.
            var repetitionDelay: Duration
        }

        let server: Server
        let journal: Journal
        let ledger: TokenLedger
        /// Whether faults and long delays occur; the beginning and the end of a history have none.
        var hasFaults = true
        private(set) var counts: [NetworkFault: Int] = [:]
        private var random: SeededRandomStream
        private let rates: NetworkFaultRates

        init(seed: UInt64, journal: Journal, server: @escaping Server) {
            random = SeededRandomStream(seed: seed, device: 0, matter: 1)
            rates = NetworkFaultRates(&random)
            self.journal = journal
            ledger = TokenLedger(journal)
            self.server = server
        }

        func fate() -> Fate {
            let fault = rates.draw(&random)
            let fate = Fate(
                fault: hasFaults ? fault : nil,
                requestDelay: delay(),
                replyDelay: delay(),
                repetitionDelay: .milliseconds(random.number(in: 0...86_400_000))
            )
            if let fault = fate.fault { counts[fault, default: 0] += 1 }
            return fate
        }

        /// A delay of some milliseconds; with faults, of up to half a minute for one message in twenty.
        private func delay() -> Duration {
            let isSlow = random.number(in: 0...19) == 0 && hasFaults
            return .milliseconds(random.number(in: 1...(isSlow ? 30_000 : 60)))
        }
    }
#endif
