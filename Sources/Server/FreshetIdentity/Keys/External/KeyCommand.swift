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

/// A command that prints keys: run without a shell, with a timeout and a size limit.
enum KeyCommand {
    /// The timeout of the command.
    static let timeout = Duration.seconds(10)

    /// Runs the command and waits for it; must not be called on a thread of the concurrency runtime.
    ///
    /// - Parameters:
    ///   - command: The path of the executable, and its arguments.
    ///   - environment: The server's environment; variables of Freshet are not passed on.
    ///   - timeout: The time within which the command must exit.
    /// - Returns: The command's standard output.
    /// - Throws: A message for the operator.
    static func output(
        _ command: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        timeout: Duration = timeout
    ) throws(KeyDocument.Fault) -> String {
        guard let path = command.first else { throw KeyDocument.Fault(description: "there is no program") }
        // The server's own secrets are not passed to the command.
        let environment = environment.filter { !$0.key.hasPrefix("FRESHET_") }
        let (ending, bytes): (Subprocess.Ending, [UInt8])
        do {
            let (reading, writing) = try Subprocess.pipe()
            // Standard error is discarded: it may contain secrets.
            let program = try Subprocess(command, environment: environment, output: writing)
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

    /// Returns all output until end of file; `nil` if it is too long or takes too long.
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
