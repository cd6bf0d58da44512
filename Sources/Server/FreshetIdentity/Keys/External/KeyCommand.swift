// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A program that prints keys: run without a shell, for a while, and read up to a size.
enum KeyCommand {
    /// How long it may take.
    static let timeout = Duration.seconds(10)

    /// Runs it and waits; not for a thread of the concurrency runtime.
    ///
    /// - Parameters:
    ///   - words: Its path and its arguments.
    ///   - environment: The server's own, of which it gets nothing that is Freshet's.
    ///   - timeout: How long it may take.
    /// - Returns: what it printed.
    /// - Throws: A sentence for the operator.
    static func output(
        _ words: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        timeout: Duration = timeout
    ) throws(KeyDocument.Fault) -> String {
        guard let path = words.first else { throw KeyDocument.Fault(description: "there is no program") }
        // The server's own secrets are none of its business.
        let environment = environment.filter { !$0.key.hasPrefix("FRESHET_") }
        let (ending, bytes): (Subprocess.Ending, [UInt8])
        do {
            let (reading, writing) = try Subprocess.pipe()
            // What it says on its standard error may hold what it should not.
            let program = try Subprocess(words, environment: environment, output: writing)
            try writing.close()
            let end = ContinuousClock.now + timeout
            guard let read = read(reading.fileDescriptor, until: end), let ended = program.wait(until: end) else {
                program.kill()
                throw KeyDocument.Fault(description: "\(path) did not end in time, or wrote more than 64 KiB")
            }
            (ending, bytes) = (ended, read)
        } catch let fault as KeyDocument.Fault {
            throw fault
        } catch {
            throw KeyDocument.Fault(description: "\(path) cannot be run")
        }
        guard ending == .exited(0) else {
            throw KeyDocument.Fault(description: "\(path) ended with \(ending.status)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// All that comes until its end; `nil` if it is too much, or takes too long.
    private static func read(_ descriptor: Int32, until end: ContinuousClock.Instant) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= KeyDocument.maximumBytes {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&wait, 1, Int32(left(until: end)))
            if ready < 0 && errno == EINTR { continue }
            guard ready > 0 else { return nil }
            let count = chunk.withUnsafeMutableBytes { readBytes(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        return nil
    }

    private static func left(until end: ContinuousClock.Instant) -> Int {
        let left = (end - ContinuousClock.now).components
        return max(0, Int(left.seconds) * 1000 + Int(left.attoseconds / 1_000_000_000_000_000))
    }
}

#if canImport(Glibc)
    private let readBytes = Glibc.read(_:_:_:)
#elseif canImport(Musl)
    private let readBytes = Musl.read(_:_:_:)
#else
    private let readBytes = Darwin.read(_:_:_:)
#endif
