// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `Streams and observers of a broadcaster` {
    @Test func `each stream gets all values from its start to the broadcaster's end`() async {
        var broadcaster: Broadcaster<Int>? = Broadcaster(bufferSize: 8)
        broadcaster?.send(0)
        let first = broadcaster?.stream()
        broadcaster?.send(1)
        let second = broadcaster?.stream()
        broadcaster?.send(2)
        broadcaster = nil
        #expect(await values(of: first) == [1, 2])
        #expect(await values(of: second) == [2])
    }

    @Test func `a slow reader misses the oldest values`() async {
        var broadcaster: Broadcaster<Int>? = Broadcaster(bufferSize: 2)
        let stream = broadcaster?.stream()
        for value in 1...5 { broadcaster?.send(value) }
        broadcaster = nil
        #expect(await values(of: stream) == [4, 5])
    }

    @Test func `a stream of states begins with the current one, and an equal state is not sent again`() async {
        var broadcaster: Broadcaster<String>? = Broadcaster(state: "idle", bufferSize: 8)
        let first = broadcaster?.stream()
        for state in ["idle", "open", "open"] { broadcaster?.sendIfChanged(state) }
        let second = broadcaster?.stream()
        #expect(broadcaster?.latest == "open")
        broadcaster?.send("open")
        broadcaster = nil
        #expect(await values(of: first) == ["idle", "open", "open"])
        #expect(await values(of: second) == ["open", "open"])
    }

    @Test func `an observer is called immediately for each value until it is removed`() {
        let broadcaster = Broadcaster<Int>(bufferSize: 8), seen = Locked<[Int]>([])
        #expect(!broadcaster.hasSubscribers)
        let id = broadcaster.addObserver { value in seen.withLock { $0.append(value) } }
        #expect(broadcaster.hasSubscribers)
        broadcaster.send(1)
        #expect(seen.withLock { $0 } == [1])
        broadcaster.removeObserver(id)
        broadcaster.send(2)
        #expect(seen.withLock { $0 } == [1])
        #expect(!broadcaster.hasSubscribers)
    }

    @Test func `a broadcaster removes the stream of a cancelled reader`() async {
        let broadcaster = Broadcaster<Int>(bufferSize: 8)
        let reader = Task { [stream = broadcaster.stream()] in for await _ in stream {} }
        #expect(broadcaster.hasSubscribers)
        reader.cancel()
        await reader.value
        #expect(!broadcaster.hasSubscribers)
    }

    @Test func `an observer may cancel the reader of a stream, send, and read the state`() async {
        let broadcaster = Broadcaster(state: 0, bufferSize: 8), seen = Locked<[Int]>([])
        let reader = Task { [stream = broadcaster.stream()] in for await _ in stream {} }
        broadcaster.addObserver { [weak broadcaster] value in
            reader.cancel()
            if value == 1 { broadcaster?.send(2) }
            seen.withLock { $0 += [value, broadcaster?.latest ?? 0] }
        }
        broadcaster.send(1)
        await reader.value
        #expect(seen.withLock { $0 } == [1, 2, 2, 2])
    }

    /// The resumption of a reader waits for a lock that its cancellation holds while the stream ends.
    @Test func `readers that are cancelled during concurrent sends finish`() async {
        let broadcaster = Broadcaster<Int>(bufferSize: 8), isOver = Locked(false)
        let sender = Thread { while !isOver.withLock({ $0 }) { broadcaster.send(1) } }
        sender.start()
        for _ in 0..<300 {
            let readers = (0..<16).map { _ in
                Task { [stream = broadcaster.stream()] in for await _ in stream {} }
            }
            for reader in readers { reader.cancel() }
            for reader in readers { await reader.value }
        }
        isOver.withLock { $0 = true }
        #expect(!broadcaster.hasSubscribers)
    }

    @Test func `a reader of a stream gets a value after the observers, such as a log`() async {
        let broadcaster = Broadcaster<Int>(bufferSize: 8), seen = Locked(0)
        broadcaster.addObserver { value in
            // A reader that had the value already would be done before the observer.
            usleep(20_000)
            seen.withLock { $0 = value }
        }
        let stream = broadcaster.stream()
        Thread { broadcaster.send(1) }.start()
        for await _ in stream { break }
        #expect(seen.withLock { $0 } == 1)
    }

    @Test func `values of several senders reach all readers in one order`() async {
        var broadcaster: Broadcaster<Int>? = Broadcaster(bufferSize: 1_000)
        let streams = (0..<3).map { _ in broadcaster?.stream() }
        await withTaskGroup { [broadcaster] group in
            for sender in 0..<4 {
                group.addTask { for number in 0..<100 { broadcaster?.send(1_000 * sender + number) } }
            }
        }
        broadcaster = nil
        var orders: [[Int]] = []
        for stream in streams { orders.append(await values(of: stream)) }
        #expect(orders[0].count == 400 && Set(orders).count == 1)
        for sender in 0..<4 { #expect(orders[0].filter { $0 / 1_000 == sender }.map { $0 % 1_000 } == Array(0..<100)) }
    }

    private func values<Value>(of stream: AsyncStream<Value>?) async -> [Value] {
        var values: [Value] = []
        if let stream { for await value in stream { values.append(value) } }
        return values
    }
}
