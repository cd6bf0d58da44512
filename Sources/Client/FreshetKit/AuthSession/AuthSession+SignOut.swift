// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract
internal import FreshetWire

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension AuthSession {
    /// Signs out on this device at once, and notifies the server.
    ///
    /// If the server cannot be reached, the sign-out is persisted and delivered as soon as possible, even after a later
    /// launch of the app. The failure is not an error.
    ///
    /// - Throws: ``SessionError/storeUnavailable(_:)`` if the sign-out could not be persisted. The session is removed
    ///   from memory in any case.
    public func signOut() async throws(SessionError) {
        let (fault, task) = await driver.signOutAndNotifyServer()
        await Self.wait(for: task)
        if let fault { throw .storeUnavailable(fault) }
    }

    /// Retries the delivery of pending sign-outs to the server, and waits for it.
    ///
    /// A session does so automatically while the process runs. A process that is about to exit calls this after a
    /// sign-in that replaced another session; ``SessionStatus/hasPendingLogout`` shows whether a sign-out is still
    /// pending.
    public func deliverPendingLogouts() async {
        guard status.hasPendingLogout else { return }
        await Self.wait(for: await driver.deliverLogouts())
    }

    /// Waits for the delivery to the server, or for the caller's cancellation; the delivery continues.
    private static func wait(for task: Task<Bool, Never>) async {
        let told = FirstResult<Void>()
        Task {
            _ = await task.value
            told.finish(with: ())
        }
        await withTaskCancellationHandler {
            await told.value()
        } onCancel: {
            told.finish(with: ())
        }
    }

    /// Revokes all of the user's sessions, then deletes this one locally.
    ///
    /// If the server cannot be reached, nothing changes. A session that is signed in during the call is kept.
    ///
    /// - Throws: ``SessionError/unsupported(_:)`` if the contract has no such endpoint; nothing changes then.
    public func signOutEverywhere() async throws(SessionError) {
        _ = try described(.logoutAll)
        let id = try await accessToken().sessionID
        _ = try await call(.logoutAll, of: id)
        if let fault = await driver.signOut(notifyingServer: false, of: id) { throw .storeUnavailable(fault) }
    }

    /// The user's sessions on all devices.
    ///
    /// - Throws: ``SessionError/unsupported(_:)`` if the contract has no endpoint that lists them.
    public func devices() async throws(SessionError) -> [DeviceSession] {
        _ = try described(.sessionList)
        let answer = try await call(.sessionList, of: try await accessToken().sessionID)
        guard let list = try? JSONDecoder().decode(SessionList.self, from: answer.body) else {
            throw .invalidResponse("the list of sessions cannot be read")
        }
        return list.sessions.map(DeviceSession.init)
    }

    /// Revokes one of the user's sessions; if it is the current one, this device is signed out.
    ///
    /// - Throws: ``SessionError/unsupported(_:)`` if the contract has no endpoint that revokes another session.
    public func endSession(id: String) async throws(SessionError) {
        guard id != status.sessionID else { return try await signOut() }
        guard !id.isEmpty else { throw .refused(code: "not_found", message: "The session id is invalid.") }
        _ = try described(.sessionRevoke)
        let own = try await accessToken().sessionID
        _ = try await call(.sessionRevoke, of: own, TemplateValues(texts: ["id": id]))
    }

    /// Calls an endpoint of the contract for one session.
    ///
    /// - Throws: ``SessionError/signedOut(_:)`` if another session has replaced it before the token is read.
    private func call(
        _ name: EndpointName,
        of id: String,
        _ values: TemplateValues = TemplateValues()
    ) async throws(SessionError) -> HTTPReply {
        let described = try described(name)
        guard described.attachesAccessToken else { return try await callWithTokens(name, of: id, values) }
        var pipeline = pipeline
        pipeline.tokens.owner = .session(id)
        let answer: HTTPReply
        do {
            let (request, _) = try endpoint.request(to: name, values)
            let (data, response) = try await pipeline.send(request)
            answer = HTTPReply(data, response)
        } catch let error as SessionError {
            throw error
        } catch let fault as ContractFault {
            throw .misconfigured(fault.message)
        } catch {
            throw Task.isCancelled
                ? .cancelled : .offline(retryAfter: nil, failure: SessionError.ConnectionFailure(error))
        }
        // A captive portal answers with 200 and a page.
        if answer.isPage, !answer.body.isEmpty { throw .offline(retryAfter: nil) }
        let secrets = [published.current.token?.token.value].compactMap(\.self)
        let outcome = contract.classify(answer, on: .api, hiding: secrets)
        if outcome == .delivered, (200...299).contains(answer.status) { return answer }
        throw SessionError(
            outcome == .delivered ? contract.classifier.refusal(in: answer, hiding: secrets) : outcome
        )
    }

    /// Returns an endpoint of the contract.
    ///
    /// - Throws: The error that names the missing operation.
    private func described(_ name: EndpointName) throws(SessionError) -> Endpoint {
        if let endpoint = contract.document.endpoints[name] { return endpoint }
        switch name {
        case .sessionList: throw .unsupported(.listSessions(contract: contract.name))
        case .sessionRevoke: throw .unsupported(.endSession(contract: contract.name))
        default: throw .unsupported(.signOutEverywhere(contract: contract.name))
        }
    }

    /// Calls an endpoint for which the contract places the tokens in a body or header field of its own.
    private func callWithTokens(
        _ name: EndpointName,
        of id: String,
        _ values: TemplateValues
    ) async throws(SessionError) -> HTTPReply {
        let held = try await driver.currentTokens(of: id)
        do throws(TokenEndpoint.Failure) { return try await endpoint.call(name, held.values.merging(values)) } catch {
            throw SessionError(error)
        }
    }
}

extension DeviceSession {
    fileprivate init(_ summary: SessionSummary) {
        self.init(
            id: summary.id.description,
            isCurrent: summary.current,
            device: DeviceDescription(wire: summary.device),
            createdAt: Date(timeIntervalSince1970: summary.createdAt),
            lastUsedAt: Date(timeIntervalSince1970: summary.lastUsedAt),
            expiresAt: Date(timeIntervalSince1970: summary.expiresAt)
        )
    }
}
