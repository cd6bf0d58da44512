// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SocketDriver {
    // MARK: The consumer

    /// Registers a new consumer; the previous one gets no more messages.
    ///
    /// - Returns: `nil` if its task was cancelled: it must not replace the consumer that was started in its place, as when
    ///   a view appears again.
    func attach() -> Int? {
        guard !Task.isCancelled else { return nil }
        // Start before attaching, so that an earlier close is not delivered to this consumer.
        start()
        let (id, dismissed) = inbox.attach()
        dismissed?.resume(returning: nil)
        return id
    }

    /// Returns the consumer's next message.
    ///
    /// - Returns: `nil` if there are no more messages for it, or if its task was cancelled.
    func next(for id: Int) async -> SocketMessage? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                guard !Task.isCancelled else { return waiter.resume(returning: nil) }
                // Messages that were read for a user who has signed out since must not be delivered.
                if !isOwnersSession { sessionChanged() }
                switch inbox.take(id, waiter) {
                case .message(let message):
                    resumeReading()
                    waiter.resume(returning: message)
                case .wait: break
                case .end: waiter.resume(returning: nil)
                }
            }
        } onCancel: {
            // The actor runs this after the waiter was stored.
            Task { await self.cancel(id) }
        }
    }

    private func cancel(_ id: Int) { inbox.cancel(id)?.resume(returning: nil) }

    /// Ends reading after the socket was closed.
    func finishReading(_ end: SocketCloseReason) {
        epoch += 1
        let isWanted =
            switch end {
            case .requested, .signedOut: false
            case .forbidden, .stepUpRequired, .fault: true
            }
        inbox.finish(dropping: !isWanted)?.resume(returning: nil)
        resumeReading()
    }

    // MARK: The connection

    /// Reads from a connection until it ends, at the consumer's pace.
    func read(_ number: Int, _ connection: any WebSocketConnection, _ count: Int) {
        let before = reading
        let epoch = epoch
        reading = Task {
            // The previous connection's messages are delivered first.
            await before?.value
            while await mayRead(epoch) {
                do {
                    received(SocketMessage(try await connection.receive(), connection: count), epoch)
                } catch {
                    return lost(number, parts.classifier.failure(error))
                }
            }
        }
    }

    private func mayRead(_ epoch: Int) async -> Bool {
        while epoch == self.epoch, !inbox.hasRoom {
            await withCheckedContinuation { blockedReader = $0 }
        }
        return epoch == self.epoch
    }

    private func resumeReading() {
        blockedReader?.resume()
        blockedReader = nil
    }

    private func received(_ message: SocketMessage, _ epoch: Int) {
        lastReceivedAt = clock.now()
        if !isOwnersSession { sessionChanged() }
        guard epoch == self.epoch else { return }
        inbox.put(message)?.resume(returning: message)
    }

    // MARK: Pings

    /// Pings the server at intervals.
    func keepPinging(_ number: Int, _ connection: any WebSocketConnection) {
        pinging?.cancel()
        guard let interval = configuration.pingInterval else { return }
        pinging = Task { [clock] in
            while true {
                let next = clock.now() + interval
                guard (try? await clock.sleep(until: next, for: .schedule("of a socket's ping"))) != nil else { return }
                await ping(number, connection)
            }
        }
    }

    func probe(_ number: Int) {
        guard let link, link.number == number else { return }
        Task { await ping(number, link.connection) }
    }

    private func ping(_ number: Int, _ connection: any WebSocketConnection) async {
        // No pong is read while reading is paused, although the connection may be alive.
        guard inbox.hasRoom else { return }
        let sentAt = clock.now()
        do throws(DeadlineFailure) {
            try await withDeadline(sentAt + configuration.pongDeadline, on: clock) { try await connection.ping() }
        } catch {
            switch error {
            case .timedOut where lastReceivedAt > sentAt || !inbox.hasRoom: break
            case .timedOut: lost(number, .pongTimeout)
            case .failed:
                // The reader delivers earlier messages and then reports the cause. If it has not by the end of the
                // timeout, the connection counts as lost.
                let end = sentAt + configuration.pongDeadline
                guard (try? await clock.sleep(until: end, for: .limit("of a socket's pong"))) != nil else { return }
                lost(number, .lost)
            case .cancelled: break
            }
        }
    }
}
