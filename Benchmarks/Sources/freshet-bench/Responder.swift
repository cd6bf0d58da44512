// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Glibc
import LoadGenerator

/// The least that an HTTP server can be: it answers every request with the same 420 bytes of JSON.
///
/// It is a process of its own, so that what it costs is nobody's else. `freshet-bench responder` runs it; its first line
/// is its port, and it ends when its standard input does.
struct Responder {
    static let body = #"{"id":"5d1e","email":"somebody@example.com","note":"\#(String(repeating: "x", count: 365))"}"#

    private static let answer = Array(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8
    )

    private var polled: [pollfd] = []
    private var peers: [LoopbackSocket?] = [nil, nil]
    private var pending: [Int32: [UInt8]] = [:]
    private let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

    static func run() throws {
        let (listener, port) = try LoopbackSocket.listening()
        var responder = Responder()
        responder.polled = [STDIN_FILENO, listener.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        print(port)
        fflush(nil)
        while poll(&responder.polled, nfds_t(responder.polled.count), -1) >= 0, responder.polled[0].revents == 0 {
            if responder.polled[1].revents != 0, let peer = listener.accepted() {
                responder.polled.append(pollfd(fd: peer.descriptor, events: Int16(POLLIN), revents: 0))
                responder.peers.append(peer)
            }
            for index in responder.polled.indices.dropFirst(2).reversed() where responder.polled[index].revents != 0 {
                responder.serve(index)
            }
        }
    }

    private mutating func serve(_ index: Int) {
        guard let peer = peers[index] else { return }
        let count = peer.receive(into: space)
        guard count >= 0 else { return }
        var bytes = pending[peer.descriptor] ?? []
        bytes.append(contentsOf: space[..<count])
        var isOpen = count > 0
        while isOpen, let request = bytes.withUnsafeBytes({ HTTPMessage($0) }) {
            bytes.removeFirst(request.body.upperBound)
            isOpen = peer.sendAll(Self.answer)
        }
        pending[peer.descriptor] = isOpen && !bytes.isEmpty ? bytes : nil
        guard !isOpen else { return }
        peer.close()
        polled.remove(at: index)
        peers.remove(at: index)
    }

    /// A responder in a process of its own.
    final class Child {
        let port: UInt16
        private let process = Process()
        private let input = Pipe()

        init() throws {
            let output = Pipe()
            process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = ["responder"]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            guard let port = UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
                throw BenchmarkError("the responder did not start")
            }
            self.port = port
        }

        func stop() {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }
}
