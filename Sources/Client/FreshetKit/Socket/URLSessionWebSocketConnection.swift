// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A WebSocket of `URLSession`.
final class URLSessionWebSocketConnection: WebSocketConnection {
    private let session: URLSession
    private let task: URLSessionWebSocketTask
    private let delegate: WebSocketTaskDelegate
    private struct Pings {
        var last = 0
        var waiting: [Int: FirstResult<Bool>] = [:]
    }
    private let pings = Locked(Pings())

    init(
        _ request: URLRequest,
        _ limits: WebSocketLimits,
        _ configuration: URLSessionConfiguration,
        _ delegate: WebSocketTaskDelegate
    ) {
        self.delegate = delegate
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        task = session.webSocketTask(with: request)
        task.maximumMessageSize = limits.maximumMessage
    }

    // The URL session retains its delegate until it is invalidated, and ends when its only task has ended.
    deinit {
        task.cancel()
        session.finishTasksAndInvalidate()
    }

    func open() async throws {
        task.resume()
        try await delegate.opening.value().get()
    }

    func cancel() { task.cancel() }

    func receive() async throws -> WebSocketMessage {
        do {
            switch try await task.receive() {
            case .string(let text): return .text(text)
            case .data(let data): return .data(data)
            @unknown default: throw WebSocketError.lost
            }
        } catch { throw reason(error) }
    }

    func send(_ message: WebSocketMessage) async throws {
        do {
            switch message {
            case .text(let text): try await task.send(.string(text))
            case .data(let data): try await task.send(.data(data))
            }
        } catch { throw reason(error) }
    }

    func ping() async throws {
        // The system may drop the handler of a ping whose connection ends.
        let race = FirstResult<Bool>()
        let id = pings.withLock { pings in
            pings.last += 1
            pings.waiting[pings.last] = race
            return pings.last
        }
        task.sendPing { error in race.finish(with: error == nil) }
        let isAnswered = await withTaskCancellationHandler {
            await race.value()
        } onCancel: {
            race.finish(with: false)
        }
        pings.withLock { $0.waiting[id] = nil }
        guard isAnswered else { throw WebSocketError.lost }
    }

    func close(code: Int) async {
        task.cancel(with: URLSessionWebSocketTask.CloseCode(rawValue: code) ?? .normalClosure, reason: nil)
        session.finishTasksAndInvalidate()
        for race in pings.withLock({ Array($0.waiting.values) }) { race.finish(with: false) }
    }

    private func reason(_ error: any Error) -> WebSocketError {
        if let error = error as? WebSocketError { return error }
        if task.closeCode != .invalid { return .closed(code: task.closeCode.rawValue) }
        let fault = error as NSError
        let isTooLong = fault.domain == NSPOSIXErrorDomain && fault.code == Int(EMSGSIZE)
        return isTooLong ? .messageTooLong : .lost
    }
}
