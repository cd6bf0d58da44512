// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension MailCarrier {
    /// How long the program may take.
    static let sendmailTimeout = Duration.seconds(30)

    /// Hands the mail to a program on its standard input; no shell reads a word of it.
    static func sendmail(path: String, timeout: Duration = sendmailTimeout) -> MailCarrier {
        MailCarrier { mail throws(Fault) in
            let process = Process()
            process.executableURL = URL(filePath: path)
            process.arguments = ["-i", "-f", mail.sender, "--", mail.recipient]
            process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
            let input = Pipe()
            process.standardInput = input
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            let ended = DispatchSemaphore(value: 0)
            process.terminationHandler = { _ in ended.signal() }
            guard mail.bytes.count <= pipeCapacity else { throw Fault(isPassing: false, reason: "too large") }
            do {
                // Before the program runs: it fits into the pipe, and a program that ends early breaks no write.
                try input.fileHandleForWriting.write(contentsOf: Data(mail.bytes.filter { $0 != UInt8(ascii: "\r") }))
                try input.fileHandleForWriting.close()
                try process.run()
            } catch {
                throw Fault(isPassing: false, reason: "\(path) cannot be run")
            }
            guard ended.wait(timeout: .now() + .milliseconds(Int(timeout.milliseconds))) == .success else {
                kill(process.processIdentifier, SIGKILL)
                throw Fault(isPassing: true, reason: "\(path) did not end in time")
            }
            guard process.terminationReason == .exit, process.terminationStatus == 0 else {
                let status = process.terminationStatus
                throw Fault(isPassing: passing.contains(status), reason: "\(path) ended with \(status)")
            }
        }
    }

    /// What every system's pipe takes in one write without a reader, and more than any of our mails has.
    private static let pipeCapacity = 16 * 1024
    /// EX_OSERR, EX_IOERR and EX_TEMPFAIL of sysexits.h.
    private static let passing: Set<Int32> = [71, 74, 75]
}
