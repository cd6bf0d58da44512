// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation

/// What the tool says and exits with when something went wrong (DESIGN.md, "Exit codes").
enum ToolError: Error, Equatable, CustomStringConvertible {
    case usage(String)
    case signInNeeded(String)
    case network(String)
    case storeUnavailable(String)
    case contractFault(String)

    var exitCode: ExitCode {
        switch self {
        case .usage: ExitCode(64)
        case .signInNeeded: ExitCode(4)
        case .network: ExitCode(5)
        case .storeUnavailable: ExitCode(6)
        case .contractFault: ExitCode(7)
        }
    }

    var description: String {
        switch self {
        case .usage(let text), .signInNeeded(let text), .network(let text), .storeUnavailable(let text),
            .contractFault(let text):
            text
        }
    }
}
