// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import AsyncHTTPClient
import Foundation
import FreshetNIO
import FreshetOutbox
import NIOHTTP1

@testable import FreshetKit
@testable import StressWorker

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The random actions of a household.
extension StressScenario {
    private static let accounts = ["ann", "bob", "cleo"]

    private enum Action: String {
        case call, storm, ownClient, execute, refresh, signIn, doubleTap, adopt, signOut, signOutEverywhere, devices
        case enqueue, flush, socket, phase, network, lockStore, failWrites, revokeAccess, endSession, remoteCall,
            killWorker
    }

    private static let actions: [(Action, weight: Int)] = [
        (.call, 30), (.storm, 4), (.ownClient, 8), (.execute, 6), (.refresh, 6), (.signIn, 10), (.doubleTap, 4),
        (.adopt, 2), (.signOut, 6), (.signOutEverywhere, 3), (.devices, 3), (.enqueue, 8), (.flush, 2), (.socket, 5),
        (.phase, 3), (.network, 2), (.lockStore, 3), (.failWrites, 3), (.revokeAccess, 3), (.endSession, 2),
        (.remoteCall, 10), (.killWorker, 1),
    ]
    private static let pool = actions.flatMap { action, weight in Array(repeating: action, count: weight) }

    /// Acts until the time is over.
    func act(until end: ContinuousClock.Instant) async {
        while ContinuousClock.now < end {
            let action = random.element(of: Self.pool)
            let handle = random.int(0...sessions.count - 1)
            let label = "\(name).\(handle)#\(nextNumber())"
            await LabellingTransport.$operation.withValue(label) {
                journal.begin(label, action.rawValue)
                let result = await perform(action, handle, label)
                journal.end(label, action.rawValue, result)
            }
            try? await Task.sleep(for: random.pause(upTo: 10))
        }
    }

    private func perform(_ action: Action, _ handle: Int, _ label: String) async -> String {
        let (session, store) = (sessions[handle], stores[handle])
        return switch action {
        case .call: await call(session)
        case .storm: await storm(session)
        case .ownClient: await told { try await self.callByHand(session) }
        case .execute: await told { try await self.execute(session, label) }
        case .refresh: await told { try await session.refresh() }
        case .signIn: await gate.shared { await self.signIn(session) }
        case .doubleTap: await gate.shared { await self.doubleTap(session) }
        case .adopt: await gate.exclusive { await self.adoptAlone() }
        case .signOut: await gate.shared { await self.told { try await session.signOut() } }
        case .signOutEverywhere: await gate.shared { await self.told { try await session.signOutEverywhere() } }
        case .devices: await told { _ = try await session.devices() }
        case .enqueue: await enqueue()
        case .flush: await told { await self.outbox.flush() }
        case .socket: await useSocket(session, label)
        case .phase: await told { self.random.int(0...1) == 0 ? session.enterForeground() : session.enterBackground() }
        case .network: await told { await session.driver.networkChanged(isUp: self.random.int(0...2) > 0) }
        case .lockStore, .failWrites: await fail(store, isLocked: action == .lockStore)
        case .revokeAccess: await told { if self.backend.rule != .accessOnly { self.backend.revokeAccessTokens() } }
        case .remoteCall: await told { try await self.callRemotely(handle) }
        case .killWorker: await worker?.restart(after: random.pause(upTo: 1500)) ?? "there is none"
        case .endSession: await told { self.backend.endSomeSession() }
        }
    }

    private func told(_ body: @Sendable () async throws -> Void) async -> String {
        do {
            try await body()
            return "done"
        } catch { return "\(error)" }
    }

    // MARK: Requests

    private func request(_ path: String = "v1/me") -> URLRequest { URLRequest(url: base.appending(path: path)) }

    private func call(_ session: AuthSession) async -> String {
        await told {
            let kind = self.random.int(0...3)
            self.journal.update(LabellingTransport.operation ?? "", "kind \(kind)")
            switch kind {
            case 0: _ = try await session.upload(for: self.request(), from: Data("body".utf8))
            case 1: for try await _ in try await session.bytes(for: self.request()).0 {}
            default: _ = try await session.data(for: self.request())
            }
        }
    }

    /// Many callers at once, some of whom give up.
    private func storm(_ session: AuthSession) async -> String {
        await withTaskGroup { group in
            for _ in 0..<16 {
                let label = "\(name)#\(nextNumber())"
                let givesUp = random.happens(perMille: 250)
                let pause = random.pause(upTo: 10)
                group.addTask {
                    self.journal.begin(label, givesUp ? "storm call that gives up" : "storm call")
                    defer { self.journal.end(label) }
                    let task = Task {
                        await LabellingTransport.$operation.withValue(label) { await self.call(session) }
                    }
                    if givesUp {
                        try? await Task.sleep(for: pause)
                        task.cancel()
                    }
                    return await task.value
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }.description
        }
    }

    /// As an app's own client does, and a gRPC interceptor.
    private func callByHand(_ session: AuthSession) async throws {
        let token = try await session.accessToken()
        let transport = session.pipeline.transport
        let (_, first) = try await transport.data(for: session.attach(token, to: request()))
        guard first.statusCode == 401, let newer = try await session.accessToken(replacing: token) else { return }
        _ = try await transport.data(for: session.attach(newer, to: request()))
    }

    private func execute(_ session: AuthSession, _ label: String) async throws {
        guard carrier == .asyncHTTPClient else { return try await callByHand(session) }
        var request = HTTPClientRequest(url: base.appending(path: "v1/me").absoluteString)
        request.headers.add(name: StressRequest.label, value: label)
        _ = try await StressClient.transport.execute(request, for: session)
    }

    /// Calls over gRPC: by a client that is bound for the operation, or by one of its own.
    private func callRemotely(_ handle: Int) async throws {
        let method = random.int(0...1) == 0 ? StressGRPCServer.unary : StressGRPCServer.streaming
        guard random.int(0...1) == 0 else {
            return try await remote.call(method, by: remote.client(for: sessions[handle]))
        }
        let count = random.int(1...2)
        try await sessions[handle].bindingCalls {
            for _ in 0..<count { try await remote.call(method, by: remoteClients[handle]) }
        }
    }

    // MARK: Signing in and out

    private func signIn(_ session: AuthSession) async -> String {
        let account = random.element(of: Self.accounts)
        return await told { try await session.signIn(.password(email: account, password: "secret")) } + " as \(account)"
    }

    private func doubleTap(_ session: AuthSession) async -> String {
        await told {
            let attempt = try await session.requestEmailCode(email: self.random.element(of: Self.accounts))
            async let first = self.told { try await session.signIn(.emailCode(attempt, code: "1")) }
            async let second = self.told { try await session.signIn(.emailCode(attempt, code: "1")) }
            self.journal.note("double tap: \(await first), \(await second)")
        }
    }

    /// No worker signs in or out meanwhile: handles that came later would adopt again what it has signed out.
    private func adoptAlone() async -> String {
        guard let worker else { return await adopt() }
        let result = Locked("")
        _ = await worker.restart(after: .zero) {
            let text = await self.adopt()
            result.withLock { $0 = text }
        }
        return result.withLock { $0 }
    }

    /// All handles adopt the same tokens of the app's own sign-in.
    private func adopt() async -> String {
        let account = random.element(of: Self.accounts)
        let body = backend.ownSignIn(account)
        let fields = (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] ?? [:]
        let grant = TokenGrant(
            accessToken: fields["access_token"] as? String ?? "",
            refreshToken: fields["refresh_token"] as? String,
            expiresIn: .seconds(fields["expires_in"] as? Int ?? 1),
            userID: "id-\(account)"
        )
        let results = await withTaskGroup { group in
            for session in sessions + [sessions[0]] {
                group.addTask { await self.told { try await session.signIn(.tokens(grant)) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        // Tokens that no handle could take over are still the app's own.
        if !results.contains("done") { backend.forget(grant.refreshToken ?? grant.accessToken) }
        return "\(results)"
    }

    // MARK: The rest

    private func enqueue() async -> String {
        guard let user = sessions[0].status.userID else { return "nobody is signed in" }
        let item = "\(name)-item-\(nextNumber())"
        var request = request("v1/items")
        request.httpMethod = "POST"
        request.setValue(item, forHTTPHeaderField: StressRequest.item)
        request.setValue(user.replacing("id-", with: ""), forHTTPHeaderField: StressRequest.owner)
        return await told { [request] in
            try await self.outbox.enqueue(request, lane: "lane-\(self.random.int(0...2))", userID: user)
            self.accepted.withLock { _ = $0.insert(item) }
        }
    }

    private func useSocket(_ session: AuthSession, _ label: String) async -> String {
        await told {
            var parts = URLComponents(url: self.base.appending(path: "v1/socket"), resolvingAgainstBaseURL: false)
            parts?.queryItems = [URLQueryItem(name: "operation", value: label)]
            var configuration = SocketConfiguration()
            configuration.backoff = RetryBackoff(first: .milliseconds(2), limit: .milliseconds(20))
            configuration.minimumTokenLifetime = .milliseconds(100)
            let transport = StressSocketTransport(backend: self.backend)
            let socket = try session.socket(parts?.url, configuration: configuration, transport: transport)
            let reader = Task { for await _ in socket.messages {} }
            try? await socket.send("hello")
            try? await Task.sleep(for: self.random.pause(upTo: 60))
            await socket.close()
            await reader.value
        }
    }

    private func fail(_ store: FlakyStore, isLocked: Bool) async -> String {
        let fault = SessionStoreError(.locked, "the test locked it")
        store.fail(read: isLocked ? fault : nil, write: fault)
        try? await Task.sleep(for: random.pause(upTo: 40))
        store.fail(read: nil, write: nil)
        return "healed"
    }
}

/// The client of all requests that are sent by `execute(_:for:)`.
enum StressClient {
    static let transport = AsyncHTTPClientTransport()
}
