// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetWire
    import SeededRandom

    /// The network of one history, with its faults; used on the simulator's thread only.
    final class SimulatedNetwork: @unchecked Sendable {
        /// The fault and the delays of one request.
        struct Fate {
            var fault: NetworkFault?
            var requestDelay: Duration
            /// The time between the arrival of the head and that of the body.
            var bodyDelay: Duration
            var replyDelay: Duration
            /// The time after which a repetition arrives.
            var repetitionDelay: Duration
            /// Whether the repetition of a refresh arrives right after the next refresh of the session.
            var isOvertaken = false
            /// The `Retry-After` of a gateway that answers 429; `nil` if it does not.
            var throttledFor: Duration?
            /// Whether a newer server answers with an error code that the app does not know.
            var isUnknownError = false
            /// Whether an older server receives it, which does not have its path.
            var isUnknownPath = false
        }

        /// The fate of the next request to one of some paths.
        struct ChosenFate {
            /// The paths of the native contract.
            var paths: Set<String>
            var replyDelay = Duration.zero
            /// The time after which the request arrives again; `nil` if it does not.
            var repeatedAfter: Duration?
        }

        let journal: Journal
        let ledger: TokenLedger
        private let backend: Backend
        /// The application server; all other requests are the token server's.
        var orders: OrderService?
        /// Answers the requests to a foreign backend; returns `nil` for other requests.
        var foreign:
            ((_ request: URLRequest, _ sender: String, _ bodyDelay: Duration) async -> (Data, HTTPURLResponse)?)?
        /// Receives what clients store and send; `nil` without a trace.
        var trace: TraceWriter?
        /// Whether faults and long delays occur; the end of a history has none.
        var hasFaults = true
        /// The time until which all requests are lost.
        var outageEnd = Duration.zero
        /// The time until which every other message takes up to half a minute.
        var slowEnd = Duration.zero
        /// The fate of one of the next requests, in place of a random one.
        var chosenFate: ChosenFate?
        /// The time until which a proxy answers all refreshes with 503.
        var refreshOutageEnd = Duration.zero
        /// The number of refreshes and sign-outs of which a server may not have received the body yet.
        private(set) var requestsUnderWay = 0
        /// The numbers of refreshes and sign-outs that each process has sent so that a server may receive them.
        private(set) var requestsSent: [String: Int] = [:]
        private(set) var counts: [NetworkFault: Int] = [:]
        /// The number of messages that took up to half a minute.
        private(set) var slowMessages = 0
        private var random: SeededRandomStream
        private var overtaking: SeededRandomStream
        private var sleeping: SeededRandomStream
        /// Repetitions of refreshes that arrive after the next refresh of their session, with the tokens that they present.
        private var overtaken: [String: [(token: String?, arrive: () -> Void)]] = [:]
        private let rates: NetworkFaultRates
        /// The gateway that answers some requests with 429; `nil` if there is none.
        var gateway: Gateway?
        /// The responses of servers that are newer than the app; `nil` if there are none.
        var newerServers: NewerServers?
        /// The servers that are older than the app; `nil` if there are none.
        var olderServers: OlderServers?
        /// The number of 429 responses of servers and of the gateway.
        private(set) var throttled = (byServers: 0, byGateway: 0)

        init(
            seed: UInt64,
            faults: NetworkFaultRates,
            _ journal: Journal,
            _ ledger: TokenLedger,
            backend: Backend
        ) {
            random = SeededRandomStream(seed: seed, device: 0, matter: 1)
            overtaking = SeededRandomStream(seed: seed, device: 0, matter: 41)
            sleeping = SeededRandomStream(seed: seed, device: 0, matter: 42)
            rates = faults
            self.journal = journal
            self.ledger = ledger
            self.backend = backend
        }

        func fate(of request: URLRequest) -> Fate {
            let now = SimulationExecutor.shared.now
            let drawn = rates.draw(&random)
            let isUnavailable = now < refreshOutageEnd && request.nativePath == NativePath.refresh
            let fault = now < outageEnd ? .requestLost : isUnavailable ? .unavailable : drawn
            let isHeldBack = random.number(in: 0...3) == 0
            var fate = Fate(
                fault: hasFaults ? fault : nil,
                requestDelay: delay(),
                bodyDelay: isHeldBack ? delay() : .zero,
                replyDelay: delay(),
                repetitionDelay: repetitionDelay()
            )
            if fate.fault == .repeated { fate.isOvertaken = overtaking.number(in: 0...1) == 0 }
            apply(to: &fate, of: request)
            if fate.fault == nil, hasFaults, let pause = gateway?.pause() {
                fate.throttledFor = pause
                throttled.byGateway += 1
            }
            if fate.fault == nil, hasFaults, fate.throttledFor == nil, newerServers?.refuses(request) == true {
                fate.isUnknownError = true
            }
            if fate.fault == nil, hasFaults, fate.throttledFor == nil, olderServers?.lacks(request) == true {
                fate.isUnknownPath = true
            }
            if let fault = fate.fault { counts[fault, default: 0] += 1 }
            return fate
        }

        private func apply(to fate: inout Fate, of request: URLRequest) {
            guard hasFaults, fate.fault == nil, let chosen = chosenFate, chosen.paths.contains(request.nativePath)
            else { return }
            chosenFate = nil
            fate.replyDelay += chosen.replyDelay
            if let delay = chosen.repeatedAfter {
                fate.fault = .repeated
                fate.repetitionDelay = delay
            }
        }

        /// A delay of up to a day, half of the time of up to some minutes: plain mode tolerates a duplicate for a while only.
        private func repetitionDelay() -> Duration {
            let isSoon = random.number(in: 0...1) == 0
            return .milliseconds(random.number(in: 0...(isSoon ? 150_000 : 86_400_000)))
        }

        /// A delay of some milliseconds; with faults, of up to half a minute for one message in twenty, and for every other
        /// one on a slow way.
        private func delay() -> Duration {
            let oneIn = SimulationExecutor.shared.now < slowEnd ? 2 : 20
            let isSlow = random.number(in: 1...oneIn) == 1 && hasFaults
            if isSlow { slowMessages += 1 }
            return .milliseconds(random.number(in: 1...(isSlow ? 30_000 : 60)))
        }

        /// Whether the connections of a device are lost while it sleeps: half of them, if it sleeps for long.
        func losesConnection(of clock: DeviceClock) -> Bool {
            clock.sleepLeft > .seconds(30) && sleeping.number(in: 0...1) == 0
        }

        /// Opens a connection to a server; `nil` if none runs.
        func openChannel() -> SimulatedChannel? { backend.openChannel() }

        /// Calls `arrive` after the time for which a request is on its way.
        func transmit(
            _ request: URLRequest,
            of sender: String,
            _ fault: NetworkFault?,
            for time: Duration,
            _ arrive: @escaping () -> Void
        ) {
            let reachesServer = ![.requestLost, .captivePortal, .unavailable].contains(fault)
            let isCounted = [NativePath.logout, NativePath.refresh].contains(request.nativePath)
            let requests = reachesServer && isCounted ? 1 : 0
            requestsUnderWay += requests
            requestsSent[sender, default: 0] += requests
            SimulationExecutor.shared.schedule(after: time) { [self] in
                arrive()
                // The server has received the body by then.
                SimulationExecutor.shared.schedule(after: .seconds(40)) { self.requestsUnderWay -= requests }
            }
        }

        /// Calls a closure when a refresh of the same session with another token has been answered, or after a time.
        ///
        /// - Parameters:
        ///   - request: The refresh that is repeated.
        ///   - sender: The name of the process that sent it.
        ///   - time: The time after which it arrives at the latest.
        ///   - arrive: Lets the request arrive; called once.
        func repeatAfterNextRefresh(
            _ request: URLRequest,
            of sender: String,
            atTheLatest time: Duration,
            _ arrive: @escaping () -> Void
        ) {
            guard let session = ledger.session(ofRefresh: request) else { return }
            requestsUnderWay += 1
            requestsSent[sender, default: 0] += 1
            var isDone = false
            let once = { [self] in
                guard !isDone else { return }
                isDone = true
                arrive()
                // The server has received the body by then.
                SimulationExecutor.shared.schedule(after: .seconds(40)) { self.requestsUnderWay -= 1 }
            }
            overtaken[session, default: []].append((TokenBody(request)?.refreshToken, once))
            SimulationExecutor.shared.schedule(after: time, once)
        }

        private func refreshed(_ session: String, _ exchange: TokenLedger.Exchange) {
            guard exchange.request.nativePath == NativePath.refresh, let waiting = overtaken[session] else { return }
            let token = TokenBody(exchange.request)?.refreshToken
            overtaken[session] = waiting.filter { $0.token == token }
            for repetition in waiting where repetition.token != token {
                let delay = Duration.milliseconds(overtaking.number(in: 1...2000))
                SimulationExecutor.shared.schedule(after: delay, repetition.arrive)
            }
        }

        /// Delivers a request to the server, and records its response.
        ///
        /// - Parameters:
        ///   - request: The request.
        ///   - sender: The name of the process that sent it, for the story.
        ///   - holder: The owner of the presented tokens, or a thief.
        ///   - bodyDelay: The time between the arrival of the head and that of the body.
        ///   - sentAt: The time at which it was sent.
        /// - Returns: The response.
        /// - Throws: `ProcessEnded` if the server does not answer.
        func deliver(
            _ request: URLRequest,
            of sender: String,
            as holder: Holder,
            bodyDelay: Duration,
            sentAt: Duration = SimulationExecutor.shared.now
        ) async throws -> (Data, HTTPURLResponse) {
            if let response = await foreign?(request, sender, bodyDelay) { return response }
            nonisolated(unsafe) var exchange = TokenLedger.Exchange(request: request, holder: holder)
            exchange.sentAt = sentAt
            let path = request.url?.path ?? ""
            let (data, head): (Data, HTTPURLResponse)
            do {
                let arrived = { exchange.receivedAt = SimulationExecutor.shared.now }
                if path == Order.path, let orders {
                    (data, head) = try await orders.respond(to: request, bodyDelay: bodyDelay, bodyArrived: arrived)
                } else {
                    (data, head) = try await backend.respond(to: request, bodyDelay: bodyDelay, bodyArrived: arrived)
                }
            } catch {
                journal.note("\(path) of \(sender) gets no answer")
                ledger.recordUnanswered(exchange)
                ledger.exchanges.record(exchange, nil, powerCuts: ledger.powerCuts)
                throw error
            }
            if head.statusCode == 429 { throttled.byServers += 1 }
            ledger.record(exchange, status: head.statusCode, data)
            ledger.exchanges.record(exchange, status: head.statusCode, data, powerCuts: ledger.powerCuts)
            if head.statusCode == 200, let session = ledger.session(ofRefresh: request) { refreshed(session, exchange) }
            let description = head.statusCode < 400 ? nil : try? JSONDecoder().decode(ErrorBody.self, from: data).text
            journal.note(
                "the server answers \(path) of \(sender): \(head.statusCode)\(description.map { ", \($0)" } ?? "")"
            )
            if description == "a token under a key that this server does not have", !backend.hasOlderKeys {
                journal.violation("\(sender) presents a token whose key a server does not have")
            }
            if holder == .owner, description == "too many refreshes of this session" {
                journal.violation("\(sender) cannot refresh, because others have used up the limit of its session")
            }
            return (data, head)
        }
    }

    private struct ErrorBody: Decodable {
        var text: String

        private enum CodingKeys: String, CodingKey { case text = "error_description" }
    }
#endif
