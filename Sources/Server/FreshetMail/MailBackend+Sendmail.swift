// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetSystem

extension MailBackend {
    /// The timeout of the program.
    static let sendmailTimeout = Duration.seconds(30)

    /// Passes the mail to a program on its standard input, without a shell.
    static func sendmail(path: String, timeout: Duration = sendmailTimeout) -> MailBackend {
        MailBackend { mail throws(Fault) in
            guard mail.bytes.count <= pipeCapacity else { throw Fault(isTransient: false, reason: "too large") }
            let program: Subprocess
            do {
                let (reading, writing) = try Subprocess.pipe()
                // The mail is written before the program starts: it fits into the pipe, and a program that exits early
                // cannot break the write.
                try writing.write(contentsOf: Data(mail.bytes.filter { $0 != UInt8(ascii: "\r") }))
                try writing.close()
                program = try Subprocess(
                    [path, "-i", "-f", mail.sender, "--", mail.recipient],
                    environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
                    input: reading
                )
            } catch {
                throw Fault(isTransient: false, isRelayFailure: true, reason: "\(path) cannot be run")
            }
            guard let ending = program.wait(until: .now + timeout) else {
                program.kill()
                throw Fault(isTransient: true, reason: "\(path) did not end in time")
            }
            guard ending == .exited(0) else {
                let status: Int32? = if case .exited(let status) = ending { status } else { nil }
                throw Fault(
                    isTransient: status.map(passing.contains) ?? false,
                    isRelayFailure: status.map(misconfigured.contains) ?? false,
                    reason: "\(path) ended with \(ending.status)"
                )
            }
        }
    }

    /// The number of bytes that a pipe accepts on every system before its first read; no mail is larger.
    private static let pipeCapacity = 16 * 1024
    /// EX_OSERR, EX_IOERR and EX_TEMPFAIL of sysexits.h.
    private static let passing: Set<Int32> = [71, 74, 75]
    /// EX_OSFILE, EX_NOPERM and EX_CONFIG of sysexits.h: no mail is sent until an operator acts.
    private static let misconfigured: Set<Int32> = [72, 77, 78]
}
