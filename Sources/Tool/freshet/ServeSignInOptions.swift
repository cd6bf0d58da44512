// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetEngine
import FreshetIdentity
import FreshetMail
import FreshetServer

/// The settings of `freshet serve` that are about signing in: mail, limits and devices.
struct ServeSignInOptions: ParsableArguments {
    @Option(
        help: """
            How mail leaves: log, for development, none, smtp://HOST[:PORT], smtps://HOST[:PORT], or sendmail[:PATH] \
            (default: log).
            """
    )
    var mail: String?

    @Option(name: .customLong("mail-from"), help: "The address that mails come from.")
    var mailFrom: String?

    @Option(
        name: .customLong("mail-user"),
        help: "The user at the mail server; the password is FRESHET_MAIL_PASSWORD, or a file (--mail-password-file)."
    )
    var mailUser: String?

    @Option(name: .customLong("mail-password-file"), help: "A file with the password for the mail server.")
    var mailPasswordFile: String?

    @Option(
        name: .customLong("mail-tls"),
        help:
            "Whether smtp:// must turn to TLS: required or none (default: required, but for a server on this machine)."
    )
    var mailTLS: String?

    @Option(name: .customLong("mail-ca"), help: "A file with the authorities for the mail server (PEM).")
    var mailCA: String?

    @Option(
        name: .customLong("mail-queue"),
        help: "How many mails may wait to be sent; as many that the relay deferred wait beside them (default: 1024)."
    )
    var mailQueue: Int?

    @Option(
        name: .customLong("mail-connections"),
        help: "How many connections to the relay may be open at one time (default: 4)."
    )
    var mailConnections: Int?

    @Option(
        name: .customLong("mail-per-source"),
        help: "How many mails caused by one address, or IPv6 network of 64 bits, may wait (default: 64)."
    )
    var mailPerSource: Int?

    @Option(
        name: .customLong("mail-per-domain"),
        help: "How many mails to one domain may wait to be sent (default: 512)."
    )
    var mailPerDomain: Int?

    @Option(
        name: .customLong("sessions-per-user"),
        help: "How many sessions a user may have; the one unused for longest ends for a new one (default: any number)."
    )
    var sessionsPerUser: Int?

    @Option(
        name: .customLong("codes-per-day"),
        help: "How many codes a day strangers may have mailed to one address (default: 10)."
    )
    var codesPerDay: Int?

    @Option(
        name: .customLong("trusted-proxy"),
        help:
            "A proxy of yours, an address or range such as 10.0.0.0/8, whose X-Forwarded-For is believed; may be repeated."
    )
    var trustedProxy: [String] = []

    @Option(
        name: .customLong("sign-up"),
        help:
            "How an account begins: open (a password will do, and POST /v1/signup tells which addresses have one) or mail (default: open)."
    )
    var signUp: String?

    @Option(
        name: .customLong("breached-passwords"),
        help:
            "A file with SHA-1 hashes of passwords that leaked, in order, as Have I Been Pwned has them (default: none)."
    )
    var breachedPasswords: String?

    /// What the command line says, by the names of the settings; the password has no place there.
    var settings: [String: String?] {
        [
            "mail": mail, "mail-from": mailFrom, "mail-user": mailUser, "mail-password-file": mailPasswordFile,
            "mail-tls": mailTLS, "mail-ca": mailCA, "mail-password": nil, "mail-queue": mailQueue.map(String.init),
            "mail-connections": mailConnections.map(String.init), "mail-per-source": mailPerSource.map(String.init),
            "mail-per-domain": mailPerDomain.map(String.init),
            "sessions-per-user": sessionsPerUser.map(String.init), "codes-per-day": codesPerDay.map(String.init),
            "trusted-proxy": SettingsReader.text(trustedProxy), "sign-up": signUp,
            "breached-passwords": breachedPasswords,
        ]
    }

    /// Puts what was said anywhere into the server's configuration.
    static func read(_ reader: SettingsReader, into settings: inout ServerConfiguration) throws {
        if let mail = try mailConfiguration(reader) { settings.mail = mail }
        settings.mail.limits = try mailLimits(reader)
        settings.signIn.sessionsPerUser = try reader.number("sessions-per-user", in: 1...10_000)
        if let codes = try reader.number("codes-per-day", in: 1...10_000) {
            settings.signIn.limits.codesFromUnknownOrigins = RateLimit(
                capacity: codes,
                interval: .seconds(86_400) / codes
            )
            settings.signIn.limits.codesFromNetwork.capacity = max(
                settings.signIn.limits.codesFromNetwork.capacity,
                codes / 2
            )
        }
        settings.signIn.trustedProxies = try reader.list("trusted-proxy").map { text in
            guard let range = AddressRange(text) else {
                throw ToolError.usage("trusted-proxy: '\(text)' is no address or range such as 10.0.0.0/8")
            }
            return range
        }
        settings.signIn.breachedPasswords = reader.text("breached-passwords").map { URL(filePath: $0) }
        switch reader.text("sign-up") {
        case nil, "open": break
        case "mail":
            guard settings.mail.backend != .none else {
                throw ToolError.usage("sign-up: mail needs a way to send mail")
            }
            settings.signIn.allowsPasswordSignUp = false
        case let other?: throw ToolError.usage("sign-up: \(other) is neither open nor mail")
        }
        settings.appleAudiences = Set(reader.list("apple-audience"))
        let keys =
            reader.text("apple-keys") ?? (settings.appleAudiences.isEmpty ? nil : ServerConfiguration.appleAddress)
        settings.appleKeys = keys.flatMap { $0.contains("://") ? URL(string: $0) : URL(filePath: $0) }
    }

    private static func mailConfiguration(_ reader: SettingsReader) throws -> MailConfiguration? {
        guard let text = reader.text("mail") else { return nil }
        let sender = reader.text("mail-from")
        switch text {
        case "log": return .log
        case "none": return MailConfiguration.none
        case "sendmail": return MailConfiguration(.sendmail(path: "/usr/sbin/sendmail"), sender: sender)
        case _ where text.hasPrefix("sendmail:"):
            return MailConfiguration(.sendmail(path: String(text.dropFirst("sendmail:".count))), sender: sender)
        default:
            guard var server = SMTPServer(url: text) else {
                throw ToolError.usage(
                    "mail: '\(text)' is none of log, none, sendmail[:PATH], smtp://HOST, smtps://HOST"
                )
            }
            switch reader.text("mail-tls") {
            case nil: break
            case "required": if server.security == .none { server.security = .required }
            case "none": if server.security == .required { server.security = .none }
            case let other?: throw ToolError.usage("mail-tls: \(other) is neither required nor none")
            }
            server.user = reader.text("mail-user")
            server.password = try password(reader)
            server.authorities = reader.text("mail-ca")
            return MailConfiguration(.smtp(server), sender: sender)
        }
    }

    private static func mailLimits(_ reader: SettingsReader) throws -> MailLimits {
        var limits = MailLimits()
        if let number = try reader.number("mail-queue", in: 16...100_000) {
            limits.capacity = number
            limits.perDomain = max(1, number / 2)
            limits.perSource = min(limits.perSource, max(1, number / 4))
        }
        if let number = try reader.number("mail-connections", in: 1...64) { limits.connections = number }
        if let number = try reader.number("mail-per-source", in: 1...100_000) { limits.perSource = number }
        if let number = try reader.number("mail-per-domain", in: 1...100_000) { limits.perDomain = number }
        return limits
    }

    private static func password(_ reader: SettingsReader) throws -> String? {
        if let password = reader.text("mail-password") { return password }
        guard let path = reader.text("mail-password-file") else { return nil }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ToolError.usage("mail-password-file: \(path) cannot be read")
        }
        return text.trimmingCharacters(in: .newlines)
    }
}
