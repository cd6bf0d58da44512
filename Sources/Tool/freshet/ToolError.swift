// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetKit
import FreshetNIO

/// An error with a message and an exit code; `freshet help` has the table of exit codes.
enum ToolError: Error, Equatable, CustomStringConvertible {
    case usage(String)
    case signInNeeded(String)
    case network(String)
    case storeUnavailable(String)
    case contractFault(String)
    case unsupported(String)

    var exitCode: ExitCode {
        switch self {
        case .usage: ExitCode(64)
        case .signInNeeded: ExitCode(4)
        case .network: ExitCode(5)
        case .storeUnavailable: ExitCode(6)
        case .contractFault: ExitCode(7)
        // EX_UNAVAILABLE of sysexits.h.
        case .unsupported: ExitCode(69)
        }
    }

    /// The error code for scripts.
    var code: String {
        switch self {
        case .usage: "usage"
        case .signInNeeded: "sign_in_needed"
        case .network: "network"
        case .storeUnavailable: "store_unavailable"
        case .contractFault: "contract_fault"
        case .unsupported: "unsupported"
        }
    }

    var description: String {
        switch self {
        case .usage(let text), .signInNeeded(let text), .network(let text), .storeUnavailable(let text),
            .contractFault(let text), .unsupported(let text):
            text
        }
    }
}

extension ToolError {
    /// Returns the error for a server that cannot be reached, with the reason if that is a certificate.
    static func unreachable(_ text: String) -> ToolError {
        guard let refusal = NIOTransport.certificateRefusal else { return .network(text) }
        return refusal.isMisconfiguration ? .usage("\(refusal)") : .network("\(refusal)")
    }

    /// Converts an error of a session.
    init(_ error: SessionError) {
        switch error {
        case .signedOut, .recordUnusable: self = .signInNeeded(error.description)
        case .offline: self = .unreachable(error.description)
        case .cancelled: self = .network(error.description)
        case .storeUnavailable: self = .storeUnavailable(error.description)
        case .refused("not_found", _), .refused("invalid_request", _), .refused("conflict", _):
            // The input is wrong, so a sign-in would not help.
            self = .usage(error.description)
        case .refused, .stepUpRequired: self = .signInNeeded(error.description)
        // Detected before a request was sent: an option or a profile is wrong.
        case .misconfigured: self = .usage(error.description)
        case .invalidResponse: self = .contractFault(error.description)
        case .unsupported: self = .unsupported(error.description)
        }
    }
}
