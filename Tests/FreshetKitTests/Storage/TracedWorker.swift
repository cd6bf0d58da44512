// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SessionFixtures

#if os(Linux)
    import Foundation
    import Testing

    /// A worker under `strace`, which makes one of its system calls fail, or kills it there.
    enum TracedWorker {
        /// One call between the marks, and which call of that name in the whole process it is.
        struct Call: Sendable, CustomStringConvertible {
            var name: String
            var number: Int
            var description: String { "\(name) \(number)" }
        }

        private static let strace = "/usr/bin/strace"
        private static let marks = "access,faccessat,faccessat2"

        /// Whether `strace` is there, and may trace and tamper; asked once.
        static let isPermitted: Bool = {
            guard FileManager.default.isExecutableFile(atPath: strace) else { return false }
            let probe = Process()
            probe.executableURL = URL(filePath: strace)
            probe.arguments = ["-o", "/dev/null", "-e", "inject=getppid:error=EIO", "/bin/true"]
            probe.standardError = FileHandle.nullDevice
            guard (try? probe.run()) != nil else { return false }
            probe.waitUntilExit()
            return probe.terminationReason == .exit && probe.terminationStatus == 0
        }()

        /// The command line prefix that makes all calls of these names fail in a program.
        static func failing(_ names: String, _ error: String) -> [String] {
            [strace, "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(names):error=\(error)"]
        }

        /// The calls that a replacement makes.
        ///
        /// - Parameters:
        ///   - names: The calls that are looked for; those that the system does not know are passed over.
        ///   - worker: A worker's command line.
        ///   - command: The command that the worker gets.
        /// - Returns: Those between the marks, in order.
        /// - Throws: The system's error if the worker cannot be traced.
        static func calls(_ names: [String], of worker: [String], _ command: String) async throws -> [Call] {
            let folder = try Folder()
            let log = folder.url.appending(path: "log").path
            let set = names.map { "?\($0)" }.joined(separator: ",")
            let traced = try Worker(
                [strace, "-f", "-o", log, "-e", "trace=\(set),\(marks)", Worker.program.path] + worker
            )
            _ = try await traced.send(command)
            // The log is whole when the worker has answered a second time: the marks are behind it.
            _ = try await traced.send("name")
            let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
            let main = lines.first?.prefix { $0 != " " } ?? ""
            var counts: [String: Int] = [:]
            var calls: [Call] = []
            var isBetween = false
            for line in lines where line.hasPrefix(main) {
                let text = line.dropFirst(main.count).drop { $0 == " " }
                if text.contains("/freshet-begin") { isBetween = true }
                if text.contains("/freshet-end") { isBetween = false }
                let name = String(text.prefix { $0 != "(" })
                guard names.contains(name) else { continue }
                counts[name, default: 0] += 1
                if isBetween { calls.append(Call(name: name, number: counts[name, default: 0])) }
            }
            return calls
        }

        /// The worker's answer when `fault` is injected into that call; empty if it was killed.
        static func answer(
            of worker: [String],
            to command: String,
            _ call: Call,
            _ fault: String
        ) async throws -> String {
            let inject = "inject=\(call.name):\(fault):when=\(call.number)"
            return try await Worker(
                [strace, "-f", "-o", "/dev/null", "-e", "trace=\(call.name)", "-e", inject, Worker.program.path]
                    + worker
            ).send(command)
        }
    }
#endif
