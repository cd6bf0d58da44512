// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SocketDriver {
    /// Sends a message, in the order in which this is called, and returns when the connection has taken it.
    func send(_ message: WebSocketMessage) async throws(SocketError) {
        let id = queue.nextID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Sender) in
                if let refusal = refusal { return waiter.resume(returning: .failure(refusal)) }
                queue.append(id, message, waiter)
                write()
                onQueue?()
            }
        } onCancel: {
            Task { await self.cancelSend(id) }
        }
        try result.get()
    }

    /// Why a message cannot be taken now.
    private var refusal: SocketError? {
        if Task.isCancelled { return .cancelled }
        if !isOwnersSession { sessionChanged() }
        if let end = machine.state.end { return .closed(end) }
        if machine.state == .idle || (link == nil && !configuration.sendsWaitForConnection) { return .notConnected }
        // With an open connection and nothing before it a message needs no place to wait.
        return queue.hasRoom || (link != nil && queue.isIdle) ? nil : .bufferFull
    }

    private func cancelSend(_ id: Int) { queue.cancel(id)?.resume(returning: .failure(.cancelled)) }

    /// Writes what waits, one message after the other.
    func write() {
        guard let link, let item = queue.begin(on: link.number) else { return }
        let (number, connection) = link
        Task {
            do {
                try await connection.send(item.message)
                queue.finish(item.id)?.resume(returning: .success(()))
                write()
            } catch {
                queue.finish(item.id)?.resume(returning: .failure(.interrupted))
                // A connection that takes nothing is of no use; if the server closed it, the reader says how.
                probe(number)
            }
        }
    }
}
