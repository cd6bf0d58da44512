// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension Session {
    /// Signs out on this device at once, and tells the server.
    ///
    /// If the server cannot be reached, the sign-out stays on record, and it is told as soon as that is possible, also
    /// by a later launch. That is no error.
    ///
    /// - Throws: ``SessionError/storeUnavailable(_:)`` if the sign-out could not be put on record. The session is
    ///   forgotten in memory all the same.
    public func signOut() async throws(SessionError) {
        let (fault, task) = await driver.signOutAndTell()
        let told = Race<Void>()
        Task {
            _ = await task.value
            told.finish(with: ())
        }
        await withTaskCancellationHandler {
            await told.value()
        } onCancel: {
            told.finish(with: ())
        }
        if let fault { throw .storeUnavailable(fault) }
    }

    /// Ends all of the user's sessions, then this one's traces here.
    ///
    /// If the server cannot be reached nothing happens.
    public func signOutEverywhere() async throws(SessionError) {
        _ = try await call("POST", NativePath.logoutAll)
        if let fault = await driver.signOut(owing: false) { throw .storeUnavailable(fault) }
    }

    /// The user's sessions on all devices.
    public func devices() async throws(SessionError) -> [DeviceSession] {
        let body = try await call("GET", NativePath.sessions)
        guard let list = try? JSONDecoder().decode(SessionList.self, from: body) else {
            throw .contractFault("the list of sessions cannot be read")
        }
        return list.sessions.map(DeviceSession.init)
    }

    /// Ends one of the user's sessions; this one by signing out.
    public func endSession(id: String) async throws(SessionError) {
        guard id != status.sessionID else { return try await signOut() }
        guard let id = SessionID(id) else { throw .refused(code: "not_found", message: "That is no session's name.") }
        _ = try await call("DELETE", "\(NativePath.sessions)/\(id)")
    }

    /// Calls an endpoint of the contract that takes the access token.
    private func call(_ method: String, _ path: String) async throws(SessionError) -> Data {
        var request = URLRequest(url: baseURL.appending(path: path))
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if method == "POST" {
            request.httpBody = Data("{}".utf8)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let answer: Answer
        do {
            let (data, response) = try await pipeline.send(request)
            answer = Answer(data, response)
        } catch let error as SessionError {
            throw error
        } catch {
            throw Task.isCancelled ? .cancelled : .offline(retryAfter: nil)
        }
        let outcome = contract.classify(answer, on: .api)
        if outcome == .delivered, (200...299).contains(answer.status) { return answer.body }
        if outcome != .delivered { throw SessionError(outcome) }
        let body = try? JSONDecoder().decode(ErrorBody.self, from: answer.body)
        throw .refused(code: body?.error ?? "status_\(answer.status)", message: body?.errorDescription)
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
