// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetKit
    import FreshetWire

    /// The transport of one process: each request and each response is a message of its own in the network.
    final class SimulatedTransport: HTTPTransport, @unchecked Sendable {
        private let network: SimulatedNetwork
        private let name: String
        private let holder: Holder
        private let clock: DeviceClock
        /// The version of the client that sends; empty for the present one.
        private let version: OlderClient
        /// Called with each refresh token and the native path before it is sent.
        private let willPresent: (TokenBody, String) -> Void
        /// Called with each response that arrives before its caller has given up.
        private let didReceive: (Data) -> Void
        /// The requests under way, and what records their ends.
        private var pending: [Int: (response: PendingResponse, end: (() -> Void)?)] = [:]
        private var requests = 0
        private var isClosed = false
        /// The sessions whose refreshes are in flight, with the numbers of the refreshes and the ends of their attempts.
        private var refreshing: [String: (number: Int, end: Duration)] = [:]
        /// The number of refreshes that were sent.
        private(set) var refreshes = 0
        /// The end of the last refresh, if no response to it arrived.
        private(set) var lastLoss: Duration?
        private var pauses: RequestedPauses
        private var rates: [String: RequestRate] = [:]
        /// The paths of requests that no user causes.
        private static let automaticPaths = [
            NativePath.refresh: "refreshes", NativePath.confirm: "confirmations", NativePath.report: "reports",
            NativePath.logout: "sign-outs",
        ]

        init(
            _ network: SimulatedNetwork,
            of name: String,
            as holder: Holder = .owner,
            _ clock: DeviceClock = DeviceClock(),
            version: OlderClient = [],
            pauses: RequestedPauses = RequestedPauses(),
            willPresent: @escaping (TokenBody, String) -> Void = { _, _ in },
            didReceive: @escaping (Data) -> Void = { _ in }
        ) {
            self.network = network
            self.name = name
            self.holder = holder
            self.clock = clock
            self.version = version
            self.pauses = pauses
            self.willPresent = willPresent
            self.didReceive = didReceive
        }

        /// Fails all requests from now on, as the end of the process does.
        func close() {
            isClosed = true
            let open = pending.sorted { $0.key < $1.key }
            pending = [:]
            // The tasks that sent them may go on later.
            for (_, (response, end)) in open {
                response.finish(.failure(URLError(.networkConnectionLost)))
                end?()
            }
        }

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) { try await respond(to: request) }

        func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
            checkRate(of: request)
            guard request.nativePath == NativePath.refresh, let session = network.ledger.session(ofRefresh: request)
            else {
                return try await respond(to: request, within: deadline)
            }
            refreshes += 1
            let number = refreshes
            let now = SimulationExecutor.shared.now
            // An attempt lasts for at most 30 s, and may have begun some steps ago. If the contract takes each token once, its
            // response is awaited for longer.
            let time = min(deadline, .seconds(30))
            let end = now + time - SimulationExecutor.shared.simultaneity - Oscillator.tolerance(of: time)
            if let other = refreshing.updateValue((number, end), forKey: session), now < other.end {
                network.journal.violation("\(name) has two refreshes of session \(session) in flight")
            }
            defer { refreshEnded(number, of: session) }
            if pauses.isTooEarly(request) {
                network.journal.violation("\(name) refreshes before the end of Retry-After")
            }
            // A response that arrives after a sign-out counts no more.
            let pauses = pauses
            let generation = pauses.generation
            return try await withTaskCancellationHandler {
                let (data, head) = try await awaitResponse(to: request)
                // A response that arrives after the end of its attempt counts only if it has tokens.
                if SimulationExecutor.shared.now < end { pauses.received(head, to: request, of: generation) }
                return (data, head)
            } onCancel: {
                // The caller may send the next one before this one's task goes on.
                refreshEnded(number, of: session)
            }
        }

        private func checkRate(of request: URLRequest) {
            let path = request.nativePath
            guard let kind = Self.automaticPaths[path] else { return }
            // Each pending sign-out is delivered by a request of its own.
            let key =
                path == NativePath.logout
                ? "\(path) \(TokenBody(request)?.refreshToken ?? request.bearerToken ?? "")" : path
            guard let count = rates[key, default: RequestRate()].count(at: SimulationExecutor.shared.now) else {
                return
            }
            network.journal.violation("\(name) sends \(count) \(kind) in a minute")
        }

        /// Whether the process was asked not to refresh before some time.
        var isAskedToWait: Bool { pauses.isActive }

        private func awaitResponse(to request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            lastLoss = nil
            do { return try await respond(to: request) } catch {
                lastLoss = SimulationExecutor.shared.now
                throw error
            }
        }

        /// The session was signed out, and a sign-in returns it again: earlier refreshes and pauses do not count for it.
        func forgetRefreshes() {
            refreshing = [:]
            pauses = pauses.restarted()
        }

        private func refreshEnded(_ number: Int, of session: String) {
            if refreshing[session]?.number == number { refreshing[session] = nil }
        }

        private func respond(
            to request: URLRequest,
            within timeout: Duration? = nil
        ) async throws -> (Data, HTTPURLResponse) {
            guard !isClosed else { throw URLError(.networkConnectionLost) }
            if version.isEmpty { return try await transmit(request, timeout) }
            guard let older = version.request(request) else { return try version.unsent(request) }
            return version.response(try await transmit(older, timeout), to: request)
        }

        private func transmit(_ request: URLRequest, _ timeout: Duration?) async throws -> (Data, HTTPURLResponse) {
            try Task.checkCancellation()
            let response = PendingResponse(timeout.map { PossibleTimeout($0, on: clock) })
            requests += 1
            let number = requests
            let end = network.orders?.ledger.send(request, of: network.ledger.user(of: request), by: name)
            pending[number] = (response, end)
            defer { requestEnded(number) }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    response.wait(continuation)
                    send(request, response)
                }
            } onCancel: {
                response.finish(.failure(CancellationError()))
                requestEnded(number)
            }
        }

        private func requestEnded(_ number: Int) { pending.removeValue(forKey: number)?.end?() }

        private func send(_ request: URLRequest, _ response: PendingResponse) {
            let path = request.url?.path ?? ""
            network.ledger.record(request, of: name)
            if let body = TokenBody(request) { willPresent(body, request.nativePath) }
            var fate = network.fate(of: request)
            if path == Self.welcomePath { fate.fault = .captivePortal }
            let sentAt = SimulationExecutor.shared.now
            network.journal.note("\(name) sends \(path)\(fate.fault.map { ": \($0.rawValue)" } ?? "")")
            let isAnswered = fate.throttledFor != nil || fate.isUnknownError || fate.isUnknownPath
            // A process that sleeps goes on, and sends, when it wakes up.
            let delay = clock.sleepLeft + fate.requestDelay
            network.transmit(request, of: name, isAnswered ? .unavailable : fate.fault, for: delay) {
                [self] in
                if fate.isUnknownError {
                    let reply = Self.error(400, NewerServers.unknownError, to: request)
                    return answer(response, reply, after: fate.replyDelay)
                }
                if fate.isUnknownPath {
                    let reply = Self.error(404, OlderServers.notFound, to: request)
                    return answer(response, reply, after: fate.replyDelay)
                }
                if let pause = fate.throttledFor {
                    return answer(response, Self.throttled(request, pause), after: fate.replyDelay)
                }
                switch fate.fault {
                case .requestLost: fail(response, after: .seconds(20))
                case .captivePortal: answer(response, Self.portal(request), after: fate.replyDelay)
                case .unavailable: answer(response, Self.unavailable(request), after: fate.replyDelay)
                case .replyLost, .replyCut, .repeated, nil: deliver(request, response, fate, sentAt)
                }
            }
            guard fate.fault == .repeated else { return }
            let arrive = { [network, name, holder] in
                network.journal.note("\(path) of \(name) arrives again")
                Task {
                    _ = try? await network.deliver(request, of: name, as: holder, bodyDelay: .zero, sentAt: sentAt)
                }
            }
            if fate.isOvertaken, request.nativePath == NativePath.refresh {
                network.repeatAfterNextRefresh(request, of: name, atTheLatest: fate.repetitionDelay) { _ = arrive() }
            } else {
                network.transmit(request, of: name, nil, for: fate.repetitionDelay) { _ = arrive() }
            }
        }

        private func deliver(
            _ request: URLRequest,
            _ response: PendingResponse,
            _ fate: SimulatedNetwork.Fate,
            _ sentAt: Duration
        ) {
            Task { [self] in
                do {
                    var (data, head) = try await network.deliver(
                        request,
                        of: name,
                        as: holder,
                        bodyDelay: fate.bodyDelay,
                        sentAt: sentAt
                    )
                    if let reply = network.newerServers?.extended((data, head)) { (data, head) = reply }
                    if let reply = network.olderServers?.reduced((data, head)) { (data, head) = reply }
                    switch fate.fault {
                    case .replyLost: fail(response, after: .seconds(20))
                    case .replyCut: answer(response, (data.prefix(data.count / 2), head), after: fate.replyDelay)
                    default: answer(response, (data, head), after: fate.replyDelay, then: didReceive)
                    }
                } catch {
                    fail(response, after: fate.replyDelay)
                }
            }
        }

        private func answer(
            _ response: PendingResponse,
            _ answer: (Data, HTTPURLResponse),
            after delay: Duration,
            then received: @escaping (Data) -> Void = { _ in }
        ) {
            arrive(after: delay) {
                if !response.isFinished, !response.mayHaveTimedOut { received(answer.0) }
                response.finish(.success(answer))
            } orLost: {
                response.finish(.failure(URLError(.networkConnectionLost)))
            }
        }

        private func fail(_ response: PendingResponse, after delay: Duration) {
            let fail = { response.finish(.failure(URLError(.timedOut))) }
            arrive(after: delay, fail, orLost: fail)
        }

        /// Calls `arrive` after a time, and once the device is awake; `orLost` if it slept until its connections were lost.
        private func arrive(after delay: Duration, _ arrive: @escaping () -> Void, orLost lose: @escaping () -> Void) {
            SimulationExecutor.shared.schedule(after: delay) { [self] in
                clock.whenAwake(network.losesConnection(of: clock) ? lose : arrive)
            }
        }

        /// The path to which a captive portal redirects; it answers all requests to it.
        private static let welcomePath = "/welcome"

        /// The response of a captive portal: its page, or a redirect of an order to a page here or at another origin.
        private static func portal(_ request: URLRequest) -> (Data, HTTPURLResponse) {
            switch Order(request)?.number {
            case let number? where number % 3 == 0: reply(to: request, 302, ["Location": welcomePath], "")
            case let number? where number % 3 == 1:
                reply(to: request, 302, ["Location": "https://portal.example.net/"], "")
            default: reply(to: request, 200, ["Content-Type": "text/html"], "<html>Accept our terms</html>")
            }
        }

        private static func throttled(_ request: URLRequest, _ pause: Duration) -> (Data, HTTPURLResponse) {
            let seconds = "\(pause.components.seconds)"
            return reply(to: request, 429, ["Retry-After": seconds], #"{"error":"rate_limited"}"#)
        }

        private static func unavailable(_ request: URLRequest) -> (Data, HTTPURLResponse) {
            reply(to: request, 503, ["Retry-After": "3"], "")
        }

        private static func error(_ status: Int, _ body: String, to request: URLRequest) -> (Data, HTTPURLResponse) {
            reply(to: request, status, ["Content-Type": "application/json"], body)
        }

        private static func reply(
            to request: URLRequest,
            _ status: Int,
            _ headers: [String: String],
            _ body: String
        ) -> (Data, HTTPURLResponse) {
            let url = request.url ?? URL(filePath: "/")
            let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
            guard let head else { fatalError("no response has the status \(status)") }
            return (Data(body.utf8), head)
        }
    }

    /// The response that one caller awaits; finished once.
    private final class PendingResponse: @unchecked Sendable {
        private var continuation: CheckedContinuation<(Data, HTTPURLResponse), any Error>?
        private var result: Result<(Data, HTTPURLResponse), any Error>?

        private let timeout: PossibleTimeout?

        init(_ timeout: PossibleTimeout?) { self.timeout = timeout }

        var isFinished: Bool { result != nil }

        /// Whether a response that arrives now and the end of the caller's wait are simultaneous.
        var mayHaveTimedOut: Bool { timeout?.isNow ?? false }

        func wait(_ continuation: CheckedContinuation<(Data, HTTPURLResponse), any Error>) {
            if let result { return continuation.resume(with: result) }
            self.continuation = continuation
        }

        func finish(_ result: Result<(Data, HTTPURLResponse), any Error>) {
            guard self.result == nil else { return }
            self.result = result
            continuation?.resume(with: result)
            continuation = nil
        }
    }
#endif
