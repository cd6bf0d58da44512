// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Glibc

/// Keeps a number of keep-alive connections busy: each sends its next request once it has its answer.
///
/// One thread, no executor, no allocation but the workload's, so that the generator costs little beside what it measures.
package final class ClosedLoop<Load: Workload> {
    private final class Connection {
        var socket: LoopbackSocket
        var session = 0
        /// The session that comes next; a session belongs to one connection, so it never has two requests under way.
        var next: Int
        var request = RequestBuffer()
        var sentAt = 0.0
        var space = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        var filled = 0
        var isIdle = true

        init(socket: LoopbackSocket, first: Int) {
            self.socket = socket
            next = first
        }

        deinit { space.deallocate() }
    }

    private let load: Load
    private let port: UInt16
    private let connections: [Connection]
    private var polled: [pollfd]
    private var busy = 0
    /// Whether the sessions take turns for ever, or each has one.
    private let repeats: Bool
    private var isStopping = false
    private var isMeasured = false
    private var answers = 0
    private var errors = 0
    private var latencies: [UInt32] = []

    /// Opens the connections.
    package convenience init(_ load: Load, port: UInt16, connections: Int) throws {
        try self.init(load, port: port, connections: connections, repeats: true)
    }

    private init(_ load: Load, port: UInt16, connections count: Int, repeats: Bool) throws {
        self.load = load
        self.port = port
        self.repeats = repeats
        connections = try (0..<min(count, load.sessionCount)).map {
            Connection(socket: try LoopbackSocket(port: port), first: $0)
        }
        polled = connections.map { pollfd(fd: $0.socket.descriptor, events: Int16(POLLIN), revents: 0) }
    }

    deinit {
        for connection in connections { connection.socket.close() }
    }

    /// Asks one request of every session.
    ///
    /// - Returns: How many answers were not what was hoped for.
    package static func once(_ load: Load, port: UInt16, connections: Int) throws -> Int {
        let loop = try ClosedLoop(load, port: port, connections: connections, repeats: false)
        loop.isMeasured = true
        try loop.start()
        try loop.pump(until: .infinity)
        return loop.errors
    }

    /// Warms up, measures, and waits for the last answers, so that the workload knows the newest tokens.
    package func measure(warmUp: Double, seconds: Double, server: CPUClock?) throws -> LoadRun {
        try start()
        try pump(until: monotonicSeconds() + warmUp)
        isMeasured = true
        let (begin, own, their) = (monotonicSeconds(), CPUClock.own.microseconds, server?.microseconds)
        try pump(until: begin + seconds)
        let (end, ownEnd, theirEnd) = (monotonicSeconds(), CPUClock.own.microseconds, server?.microseconds)
        isMeasured = false
        isStopping = true
        try pump(until: .infinity)
        latencies.sort()
        let count = Double(max(answers, 1))
        return LoadRun(
            connections: connections.count,
            answers: answers,
            errors: errors,
            perSecond: Double(answers) / (end - begin),
            serverMicroseconds: zip(their, theirEnd).map { ($1 - $0) / count },
            loadMicroseconds: (ownEnd - own) / count,
            medianMilliseconds: milliseconds(at: 0.5),
            p99Milliseconds: milliseconds(at: 0.99)
        )
    }

    private func milliseconds(at part: Double) -> Double {
        latencies.isEmpty ? 0 : Double(latencies[Int(Double(latencies.count - 1) * part)]) / 1000
    }

    private func start() throws {
        for index in connections.indices { try sendNext(index) }
    }

    private func sendNext(_ index: Int) throws {
        let connection = connections[index]
        if connection.isIdle { busy += 1 }
        connection.isIdle = isStopping || connection.next >= load.sessionCount
        guard !connection.isIdle else {
            busy -= 1
            return
        }
        connection.session = connection.next
        connection.next += connections.count
        if repeats, connection.next >= load.sessionCount { connection.next = index }
        connection.request.clear()
        load.writeRequest(of: connection.session, to: &connection.request)
        connection.sentAt = monotonicSeconds()
        if !connection.socket.sendAll(connection.request.bytes) { try reopen(index) }
    }

    /// The server closed a connection; the same request goes out on a new one.
    private func reopen(_ index: Int) throws {
        let connection = connections[index]
        connection.socket.close()
        connection.socket = try LoopbackSocket(port: port)
        connection.filled = 0
        polled[index].fd = connection.socket.descriptor
        guard connection.isIdle || connection.socket.sendAll(connection.request.bytes) else {
            throw SocketError(call: "send", code: errno)
        }
    }

    private func pump(until end: Double) throws {
        while busy > 0 {
            guard monotonicSeconds() < end else { return }
            guard poll(&polled, nfds_t(polled.count), 100) > 0 else { continue }
            for index in polled.indices where polled[index].revents != 0 { try receive(index) }
        }
    }

    private func receive(_ index: Int) throws {
        let connection = connections[index]
        let space = UnsafeMutableRawBufferPointer(rebasing: connection.space[connection.filled...])
        let count = connection.socket.receive(into: space)
        guard count >= 0 else { return }
        guard count > 0 else { return try reopenAfterEnd(index) }
        connection.filled += count
        guard let answer = HTTPMessage(UnsafeRawBufferPointer(rebasing: connection.space[..<connection.filled])) else {
            guard connection.filled < connection.space.count else { throw SocketError(call: "recv", code: EMSGSIZE) }
            return
        }
        let body = UnsafeRawBufferPointer(rebasing: connection.space[answer.body])
        let isGood = load.receive(status: answer.status, body: body, for: connection.session)
        if isMeasured {
            if isGood { answers += 1 } else { errors += 1 }
            latencies.append(UInt32((monotonicSeconds() - connection.sentAt) * 1e6))
        }
        connection.filled = 0
        if answer.closes {
            connection.socket.close()
            connection.socket = try LoopbackSocket(port: port)
            polled[index].fd = connection.socket.descriptor
        }
        try sendNext(index)
    }

    private func reopenAfterEnd(_ index: Int) throws {
        // A server that drops a request again and again is broken, and a run must end.
        if isMeasured { errors += 1 }
        guard errors < 1000 else { throw SocketError(call: "recv", code: ECONNRESET) }
        try reopen(index)
    }
}

/// Both, if both are there.
private func zip(_ first: Double?, _ second: Double?) -> (Double, Double)? {
    guard let first, let second else { return nil }
    return (first, second)
}
