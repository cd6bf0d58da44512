// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(macOS) || os(Linux)
    internal import Foundation

    /// A process that prints a line per committed write until it is killed during a later write.
    struct CrashingWriter {
        /// The number of complete lines that the process printed.
        let commits: Int
        let lastLine: String?

        /// Starts the process and kills it.
        ///
        /// - Parameters:
        ///   - process: The process to start.
        ///   - commits: The number of lines to wait for; the process is killed while it writes the next one or two.
        /// - Throws: The system's error if the process cannot be started; a violation if the process exits before it is
        ///   killed.
        init(_ process: Process, commits: Int) throws {
            let pipe = Pipe()
            process.standardOutput = pipe
            let ended = DispatchSemaphore(value: 0)
            process.terminationHandler = { _ in ended.signal() }
            try process.run()
            let output = pipe.fileHandleForReading.fileDescriptor
            // A process that was started in the meantime may have inherited the pipe, so end-of-file does not mean that
            // this process has exited.
            _ = fcntl(output, F_SETFL, O_NONBLOCK)
            var text = Data()
            var firstLine: ContinuousClock.Instant?
            while case let lines = text.count(where: { $0 == UInt8(ascii: "\n") }), lines < commits {
                if lines > 0, firstLine == nil { firstLine = .now }
                var place = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
                _ = poll(&place, 1, 100)
                let isRunning = process.isRunning
                if Self.read(output, into: &text) == 0, !isRunning { break }
            }
            let pace = (firstLine.map { .now - $0 } ?? .milliseconds(3)) / max(1, commits - 1)
            Thread.sleep(forTimeInterval: .random(in: 0...1.5) * (pace / .seconds(1)))
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            ended.wait()
            _ = Self.read(output, into: &text)
            guard process.terminationReason == .uncaughtSignal else {
                let lines = String(decoding: text, as: UTF8.self)
                throw SessionStoreContract.Violation(rule: .crashes, detail: "the writer ended by itself: \(lines)")
            }
            let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            self.commits = max(0, lines.count - 1)
            lastLine = lines.dropLast().last.map { String(decoding: $0, as: UTF8.self) }
        }

        /// Reads available bytes from the pipe.
        ///
        /// - Returns: The number of bytes read.
        private static func read(_ output: Int32, into text: inout Data) -> Int {
            let before = text.count
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while case let count = Foundation.read(output, &buffer, buffer.count), count > 0 {
                text.append(contentsOf: buffer[..<count])
            }
            return text.count - before
        }
    }
#endif
