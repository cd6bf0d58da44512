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
            "\(host) is not a loopback address, and the operators' password would cross the network unencrypted: give "
                + "--tls-certificate and --tls-key, or --behind-proxy if a proxy terminates TLS"
        case .noOperatorPassword(let path):
            "--operator-listen needs a password for operators, in \(path): freshet operator password --data DIR sets it"
        case .pagesName(let name):
            "'\(name)' is not a valid name: it must be one line of \(PagesConfiguration.longestName) characters at most"
        case .lifetimeNotPositive: "a lifetime must be greater than zero"
        }
    }
}
