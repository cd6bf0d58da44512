// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

extension SocketDriver.Dependencies {
    /// Opens a connection and presents the token, within the handshake timeout.
    ///
    /// If this throws, no connection is left open. If the transport ignores cancellation, a connection that it opens
    /// late is closed immediately.
    func connect(with token: SocketToken) async throws -> any WebSocketConnection {
        let opening = try request.handshake(with: token.token)
        let limits = configuration.limits
        let work = Task { [transport] in
            let connection = try await transport.connect(
                opening.request,
                protocols: opening.protocols,
                limits: limits
            )
            do {
                if let message = opening.firstMessage { try await connection.send(message) }
                try Task.checkCancellation()
                return connection
            } catch {
                await connection.close(code: 1000)
                throw error
            }
        }
        do throws(DeadlineFailure) {
            return try await withDeadline(clock.now() + limits.handshakeDeadline, on: clock) { try await work.value }
        } catch {
            if case .failed(let fault) = error { throw fault }
            work.cancel()
            let end = Task { if let late = try? await work.value { await late.close(code: 1000) } }
            await withCloseTimeout { await end.value }
            throw WebSocketError.lost
        }
    }

    /// Closes a connection, within the close timeout plus one second.
    func close(_ connection: any WebSocketConnection, code: Int) async {
        await withCloseTimeout { await connection.close(code: code) }
    }

    /// Runs an operation within the close timeout, even if the caller is cancelled.
    private func withCloseTimeout(_ operation: @escaping @Sendable () async -> Void) async {
        let deadline = clock.now() + configuration.limits.closeDeadline + .seconds(1)
        let wait = Task { [clock] in
            do throws(DeadlineFailure) { try await withDeadline(deadline, on: clock, operation: operation) } catch {}
        }
        await wait.value
    }

    /// Classifies an error, with the token removed from its messages.
    func failure(_ error: any Error, hiding token: SocketToken) -> SocketFailure {
        if let fault = error as? ContractFault {
            return SocketFailure(outcome: .invalidRequest(fault.message), interruption: .unreachable)
        }
        var failure = classifier.failure(error, hiding: [token.token.value])
        if case .refused(let code, _) = failure.outcome { failure.outcome = .refused(code: code, message: nil) }
        return failure
    }
}
