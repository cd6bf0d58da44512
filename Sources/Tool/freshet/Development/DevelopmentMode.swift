// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTP
import FreshetServer

/// The conditions of `freshet serve --dev`.
enum DevelopmentMode {
    /// Returns the reason for which a configuration is refused with `--dev`; `nil` if it is allowed.
    ///
    /// The switches end sessions and drop answers, so no other machine may reach the server.
    static func refusal(_ configuration: ServerConfiguration) -> String? {
        if configuration.isProduction { return "--dev cannot be used with --production: its keys cause faults" }
        if configuration.operations.isBehindProxy {
            return "--dev cannot be used with --behind-proxy: other machines would reach the server"
        }
        if !ListenAddress.isLoopback(configuration.host) {
            return "--dev listens on loopback only, and --host is \(configuration.host)"
        }
        if configuration.operations.tls != nil {
            return "--dev cannot be used with --tls-certificate: its relay reads answers, which TLS encrypts"
        }
        return nil
    }
}
