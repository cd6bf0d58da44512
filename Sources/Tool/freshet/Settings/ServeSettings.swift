// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContractServer
import FreshetEngine
import FreshetIdentity
import FreshetMail
import FreshetServer
import Logging

/// The values of all settings of `freshet serve`, from which the server's configuration is created.
///
/// A setting is stored in a field of the configuration, or in a field here if several settings form one field.
struct ServeSettings: Sendable {
    /// Every section, in the order of `--help`.
    static let sections: [any SettingsSection.Type] = [
        NetworkSettings.self, TokenSettings.self, SignInSettings.self, MailSettings.self, ClientSettings.self,
        DataSettings.self, PostgresSettings.self, PageSettings.self, LimitSettings.self, OperationSettings.self,
    ]
    /// Every setting, in the order in which they are applied.
    static let all = sections.flatMap { $0.settings }

    var server = ServerConfiguration(dataDirectory: URL(filePath: "freshet-data", directoryHint: .isDirectory))
    var network = NetworkSettings()
    var tokens = TokenSettings()
    var signIn = SignInSettings()
    var mail = MailSettings()
    var data = DataSettings()
    var postgres = PostgresSettings()
    var logLevel = Logger.Level.info

    /// Returns the server's configuration.
    ///
    /// - Throws: A usage error if settings contradict each other.
    func configuration(_ reader: SettingsReader) throws(ToolError) -> ServerConfiguration {
        var server = server
        server.operations.tls = try network.tlsFiles(reader)
        server.mail = try mail.configuration(reader)
        server.keys.source = try data.keySource(reader)
        server.database = postgres.configuration
        server.lockTimeout = databaseWait
        server.appleKeys = appleKeys
        for index in server.contracts.indices {
            server.contracts[index].setLifetimes(
                access: tokens.access,
                idle: tokens.idle,
                absolute: tokens.absolute
            )
        }
        guard signUp == .open || server.mail.backend != .none else {
            throw .usage(
                "\(reader.label("sign-up")): 'mail' needs a way to send mail, and \(reader.label("mail")) is 'none'"
            )
        }
        return server
    }
}
