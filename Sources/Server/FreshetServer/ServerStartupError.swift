// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine
package import FreshetSystem

/// An error of the settings that prevents a server from starting.
package enum ServerStartupError: StartupError, Equatable {
    case logMailInProduction
    /// The server is behind a proxy, but no trusted proxy is configured.
    case noTrustedProxy
    /// The issuer is not a URL from which the paths of RFC 8414 can be derived.
    case notAnIssuer(String)
    case localIssuerInProduction(String)
    case feedClockInProduction
    case feedClockNotPositive
    case notAnOrigin(String)
    case lifetimeNotPositive
    case codeLifetimeTooLong
    /// Sessions would expire before their clients refresh them; those of a contract, or of the native one.
    case accessOutlivesSession(Lifetimes, contract: String?)
    case insecureListening(String)
    /// No process can listen on a host; its setting and the reason are named.
    case unusableHost(String, String, String)
    /// Two listeners would have the same port; the first setting is named.
    case sharedPort(String, Int)

    package var cause: StartupErrorCause {
        .setting
    }

    package var setting: String? {
        switch self {
        case .notAnIssuer, .localIssuerInProduction: "issuer"
        case .feedClockInProduction: "feed-clock"
        case .notAnOrigin: "allowed-origin"
        case .insecureListening: "host"
        case .accessOutlivesSession: "access-ttl"
        case .sharedPort(let setting, _), .unusableHost(let setting, _, _): setting
        default: nil
        }
    }

    private static func text(_ duration: Duration) -> String {
        duration.formatted(.units(allowed: [.days, .hours, .minutes, .seconds], width: .wide))
    }

    package var description: String {
        switch self {
        case .logMailInProduction: "--production needs a mail transport other than log: it writes codes to the log"
        case .noTrustedProxy:
            "--behind-proxy needs --trusted-proxy, the address of the proxy: without it all clients count as one, and "
                + "wrong passwords of one client keep all others from signing in"
        case .notAnIssuer(let text):
            "'\(text)' is not a URL without query and fragment, such as https://auth.example.com"
        case .localIssuerInProduction(let issuer):
            "--production needs an --issuer that clients reach, such as https://auth.example.com; '\(issuer)' is on this "
                + "machine or not https"
        case .feedClockInProduction: "--production has no feed clock: it is a feed for development"
        case .feedClockNotPositive: "the interval of a feed clock must be greater than zero"
        case .notAnOrigin(let text): "'\(text)' is no origin: write it as browsers do, as in https://app.example.com"
        case .lifetimeNotPositive: "a lifetime must be greater than zero"
        case .codeLifetimeTooLong: "a code may live ten minutes at most"
        case .accessOutlivesSession(let lifetimes, let contract):
            "an access token is valid for \(Self.text(lifetimes.access)), and a session"
                + (contract.map { " of the contract '\($0)'" } ?? "")
                + " expires after \(Self.text(min(lifetimes.idle, lifetimes.absolute))) already (idle-ttl, absolute-ttl): clients "
                + "would refresh too late, and be signed out"
        case .insecureListening(let host):
            "\(host) is not loopback, and tokens would cross the network in the clear: give --tls-certificate and "
                + "--tls-key, or --behind-proxy if a proxy terminates TLS, or --insecure-listen"
        case .unusableHost(_, let host, let reason): "cannot listen on '\(host)': \(reason)"
        case .sharedPort(_, let port): "port \(port) is another listener's already"
        }
    }
}
