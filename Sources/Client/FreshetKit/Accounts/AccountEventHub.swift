// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Those who listen to a directory's events.
final class AccountEventHub: Sendable {
    private struct Content {
        var last = 0
        var streams: [Int: AsyncStream<AccountEvent>.Continuation] = [:]
    }

    private let content = Locked(Content())

    deinit {
        content.withLock { content in
            for stream in content.streams.values { stream.finish() }
        }
    }

    func emit(_ event: AccountEvent) {
        content.withLock { content in
            for stream in content.streams.values { stream.yield(event) }
        }
    }

    func stream() -> AsyncStream<AccountEvent> {
        let (stream, listener) = AsyncStream.makeStream(of: AccountEvent.self, bufferingPolicy: .bufferingNewest(256))
        let id = content.withLock { content in
            content.last += 1
            content.streams[content.last] = listener
            return content.last
        }
        listener.onTermination = { [weak self] _ in
            self?.content.withLock { content in content.streams[id] = nil }
        }
        return stream
    }
}
