// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetMail
import FreshetServer
import FreshetSystem

/// The delivery of mail, and the limits of its queue.
struct MailSettings: SettingsSection {
    static let title = "Mail"

    /// Whether `smtp://` uses STARTTLS.
    enum TLS: String, CaseIterable { case required, none }

    fileprivate var backend = MailConfiguration.log.backend
    fileprivate var sender: String?
    fileprivate var user: String?
    fileprivate var password: String?
    fileprivate var passwordFile: String?
    fileprivate var authorities: String?
    fileprivate var limits = MailLimits()
    private var givenTLS: TLS?

    static let settings: [Setting] = [
        Setting(
            "mail",
            "How mail is sent: log (for development), none, smtp://HOST[:PORT], smtps://HOST[:PORT] or sendmail[:PATH]",
            \.mail.backend,
            .mailBackend
        ),
        Setting(
            "mail-from",
            "The sender's address; required by smtp, smtps and sendmail",
            \.mail.sender,
            .text("address")
        ),
        Setting(
            "mail-user",
            "The user name at the SMTP server; needs FRESHET_MAIL_PASSWORD or mail-password-file",
            \.mail.user,
            .text("name")
        ),
        Setting(
            "mail-password",
            "The password at the SMTP server",
            \.mail.password,
            .text,
            places: .environmentAndFile,
            masking: .value
        ),
        Setting(
            "mail-password-file",
            "A file with the password at the SMTP server",
            details: "Its mode must not let every user read it.",
            \.mail.passwordFile,
            .text("file")
        ),
        Setting(
            "mail-tls",
            "Whether smtp:// requires STARTTLS: required or none",
            \.mail.tls,
            .choice,
            defaultNote: "required, and none for a server on this machine"
        ),
        Setting(
            "mail-ca",
            "A file with the certificate authorities of the SMTP server in PEM",
            \.mail.authorities,
            .text("file"),
            defaultNote: "the system's"
        ),
        Setting(
            "mail-queue",
            "The number of mails that may wait for their first attempt",
            details: "The same number of deferred mails may be queued in addition.",
            see: "Mail",
            \.mail.capacity,
            .number(in: 16...100_000)
        ),
        Setting(
            "mail-connections",
            "The number of connections to the SMTP server at one time",
            \.mail.limits.connections,
            .number(in: 1...64)
        ),
        Setting(
            "mail-per-source",
            "The number of mails caused by one IPv4 address or IPv6 /64 that may wait or be deferred",
            details: "By default at most a quarter of `mail-queue`.",
            \.mail.limits.perSource,
            .number(in: 1...100_000)
        ),
        Setting(
            "mail-per-domain",
            "The number of mails to one domain that may wait for their first attempt",
            details: "By default half of `mail-queue`.",
            \.mail.limits.perDomain,
            .number(in: 1...100_000)
        ),
    ]

    /// The size of the queue; the limits derived from it change with it, unless they are given.
    fileprivate var capacity: Int {
        get { limits.capacity }
        set {
            limits.capacity = newValue
            limits.perDomain = max(1, newValue / 2)
            limits.perSource = min(limits.perSource, max(1, newValue / 4))
        }
    }

    fileprivate var tls: TLS? {
        get {
            guard case .smtp(let server) = backend else { return givenTLS }
            return givenTLS ?? (server.security == .none ? TLS.none : .required)
        }
        set { givenTLS = newValue }
    }

    func configuration(_ reader: SettingsReader) throws(ToolError) -> MailConfiguration {
        var configuration = MailConfiguration(backend)
        switch backend {
        case .log, .none: break
        case .sendmail: configuration.sender = sender
        case .smtp(var server):
            switch (givenTLS, server.security) {
            case (.required?, .none): server.security = .required
            case (TLS.none?, .required): server.security = .none
            default: break
            }
            server.user = user
            server.password = try serverPassword(reader)
            server.authorities = authorities
            configuration.backend = .smtp(server)
            configuration.sender = sender
        }
        configuration.limits = limits
        return configuration
    }

    private func serverPassword(_ reader: SettingsReader) throws(ToolError) -> String? {
        guard let passwordFile else { return password }
        let label = reader.label("mail-password-file")
        guard password == nil else {
            throw .usage("\(reader.label("mail-password")) and \(label): give one source of the password")
        }
        guard let text = try? String(contentsOfFile: passwordFile, encoding: .utf8) else {
            throw .usage("\(label): '\(passwordFile)' cannot be read")
        }
        guard PrivateFiles.isClosedToOthers(passwordFile) else {
            throw .openPasswordFile(label, passwordFile)
        }
        let line = text.trimmingCharacters(in: .newlines)
        guard !line.isEmpty else { throw .usage("\(label): '\(passwordFile)' contains no password") }
        return line
    }
}

extension SettingFormat where Value == MailConfiguration.Backend {
    fileprivate static var mailBackend: Self {
        Self(
            "transport",
            expected: "one of log, none, sendmail[:PATH], smtp://HOST[:PORT], smtps://HOST[:PORT]",
            parse: { text in
                switch text {
                case "log": .log
                case "none": Value.none
                case "sendmail": .sendmail(path: "/usr/sbin/sendmail")
                case _ where text.hasPrefix("sendmail:"): .sendmail(path: String(text.dropFirst("sendmail:".count)))
                default: SMTPServer(url: text).map { .smtp($0) }
                }
            },
            text: { backend in
                switch backend {
                case .log: "log"
                case .none: "none"
                case .sendmail(let path): "sendmail:\(path)"
                case .smtp(let server):
                    "\(server.security == .implicit ? "smtps" : "smtp")://\(server.host):\(server.port)"
                }
            }
        )
    }
}
