// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Logging

    /// The users' mailboxes: the codes that servers mail, which they write to the log during development.
    final class Mailbox: @unchecked Sendable {
        private(set) var codes: [(email: String, code: String)] = []

        /// Returns the last code that was mailed to an address.
        func code(for email: String) -> String? { codes.last { $0.email == email }?.code }

        var log: Logger { Logger(label: "freshet.simulator") { [self] _ in Handler(mailbox: self) } }

        private struct Handler: LogHandler {
            let mailbox: Mailbox
            var metadata: Logger.Metadata = [:]
            var logLevel = Logger.Level.notice

            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(event: LogEvent) {
                guard case .string(let code) = event.metadata?["code"],
                    case .string(let email) = event.metadata?["email"]
                else { return }
                mailbox.codes.append((email, code))
            }
        }
    }
#endif
