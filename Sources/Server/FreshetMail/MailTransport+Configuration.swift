// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetMetrics
package import Logging

extension MailTransport {
    /// Creates the transport of a configuration.
    ///
    /// - Parameters:
    ///   - configuration: The backend, the sender and the queue's limits.
    ///   - store: The persistent storage of the queue.
    ///   - metrics: Counts the outcomes of mails.
    ///   - log: The logger of deliveries and failures.
    ///   - clock: The server's clock.
    /// - Throws: `StartupError` for a configuration that cannot deliver mail.
    package init(
        _ configuration: MailConfiguration,
        store: MailStore?,
        metrics: ServerMetrics?,
        log: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) throws(MailConfigurationError) {
        try configuration.validate()
        guard let sender = configuration.sender.flatMap({ MailAddress($0) }) else {
            self = configuration.backend == .log ? .log(log) : .none
            return
        }
        func queue(_ backend: MailBackend) -> MailTransport {
            .queue(
                MailQueue(
                    backend,
                    format: MailFormat(sender: sender),
                    limits: configuration.limits,
                    store: store,
                    metrics: metrics,
                    log: log,
                    clock: clock
                )
            )
        }
        switch configuration.backend {
        case .none: self = .none
        case .log: self = .log(log)
        case .smtp(let server): self = queue(.smtp(server, greeting: sender.domain))
        case .sendmail(let path): self = queue(.sendmail(path: path))
        }
    }
}
