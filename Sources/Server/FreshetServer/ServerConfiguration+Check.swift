// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetHTTP
import FreshetIdentity
import FreshetMail
import FreshetPages
import FreshetSystem
package import Logging

extension ServerConfiguration {
    /// Validates the configuration, and checks the files and folders that a start reads, without changing any.
    ///
    /// It opens no database and runs no command, so the server may be running meanwhile.
    ///
    /// - Throws: `StartupError`, or the errors of the file system for the data folder.
    package func check(log: Logger) throws {
        try validate()
        try checkAddresses()
        if let files = operations.tls { _ = try TLSCertificate(files, log: log) }
        _ = try clientRegistry()
        if let list = signIn.breachedPasswords { _ = try BreachedPasswords(list) }
        try mail.checkProgram()
        if let keys = appleKeys, keys.isFileURL { try SignInParts.checkAppleKeys(keys) }
        try PrivateFiles.check(dataDirectory)
        try PrivateFiles.check(dataDirectory.appending(path: "keys"))
        // The superuser may check the folder of another user, whose files it would refuse to use.
        if PrivateFiles.isOwn(dataDirectory) {
            try KeyDirectory(in: dataDirectory, createsKeys: false).checkFiles()
        }
        try checkOperatorPassword()
    }

    /// Checks that operators have a password, if they have pages.
    func checkOperatorPassword() throws {
        guard operatorPages.listen != nil else { return }
        let password = OperatorPassword(in: dataDirectory)
        guard password.isSet else { throw PagesStartupError.noOperatorPassword(password.file.path) }
        guard PrivateFiles.isOwn(dataDirectory) else { return }
        guard try password.hash()?.isEmpty == false else {
            throw PagesStartupError.noOperatorPassword(password.file.path)
        }
    }

    /// Checks that the hosts of the listeners are of this machine.
    private func checkAddresses() throws(ServerStartupError) {
        let others = [("metrics-listen", operations.metrics?.host), ("operator-listen", operatorPages.listen?.host)]
        for case (let setting, let host?) in [("host", host)] + others {
            if let reason = ListenAddress.fault(of: host) { throw .unusableHost(setting, host, reason) }
        }
    }
}
