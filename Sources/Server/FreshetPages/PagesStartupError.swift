// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetSystem

/// An error of the pages' settings that prevents the server from starting.
package enum PagesStartupError: StartupError, Equatable {
    case insecureOperatorPages(String)
    case noOperatorPassword(String)
    case pagesName(String)
    case lifetimeNotPositive

    var cause: StartupErrorCause {
        .setting
    }

    var setting: String? {
        switch self {
        case .insecureOperatorPages: "operator-listen"
        case .pagesName: "pages-name"
        default: nil
        }
    }

    package var description: String {
        switch self {
        case .insecureOperatorPages(let host):
            "\(host) is not loopback, and the operators' password would cross the network in the clear: give "
                + "--tls-certificate and --tls-key, or say --behind-proxy if something in front speaks TLS"
        case .noOperatorPassword(let path):
            "--operator-listen needs a password for operators, in \(path): freshet operator password --data DIR sets it"
        case .pagesName(let name):
            "'\(name)' does not fit on the pages: one line of \(PagesConfiguration.longestName) characters at most"
        case .lifetimeNotPositive: "a lifetime must be longer than nothing"
        }
    }
}
