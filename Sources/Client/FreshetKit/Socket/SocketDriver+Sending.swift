// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SocketDriver {
    /// Sends a message, in the order of the calls, and returns when the connection has written it.
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

    /// The reason that a message cannot be accepted now; `nil` if it can.
    private var refusal: SocketError? {
        if Task.isCancelled { return .cancelled }
        if !isOwnersSession { sessionChanged() }
        if let end = machine.state.end { return .closed(end) }
        if machine.state == .idle || (link == nil && !configuration.sendsWaitForConnection) { return .notConnected }
        // With an open connection and an empty queue, a message needs no space in the queue.
        return queue.hasRoom || (link != nil && queue.isIdle) ? nil : .bufferFull
    }

    private func cancelSend(_ id: Int) { queue.cancel(id)?.resume(returning: .failure(.cancelled)) }

    /// Writes the queued messages one after the other.
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
                // A connection that fails a write is unusable; if the server closed it, the reader has the code.
                probe(number)
            }
        }
    }
}
