// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem
import NIOCore

extension ToolError {
    /// What a refusal to start means to a script: a setting to correct, or a data folder that cannot be used.
    init(_ error: any StartupError) {
        switch error.cause {
        case .setting: self = .usage("\(error)")
        case .storage: self = .storeUnavailable("\(error)")
        }
    }

    /// A refusal to start that names the setting and its source, if one setting's value is the reason.
    init(_ error: any StartupError, _ reader: SettingsReader) {
        self.init(error)
        guard let name = error.setting, let given = reader.label(ofGiven: name) else { return }
        switch self {
        case .usage(let text): self = .usage("\(given): \(text)")
        case .storeUnavailable(let text): self = .storeUnavailable("\(given): \(text)")
        default: break
        }
    }

    /// The server's data cannot be read or written.
    static func unusable(_ folder: URL, _ error: any Error) -> ToolError {
        .storeUnavailable("\(folder.path): cannot be used as the data folder (\(reason(of: error)))")
    }

    /// The server cannot listen where it was told to.
    static func cannotListen(_ host: String, _ port: Int, _ error: any Error) -> ToolError {
        .network("cannot listen on \(host), port \(port) (\(reason(of: error)))")
    }

    /// The system's own words, where it has some.
    private static func reason(of error: any Error) -> String {
        switch error {
        case let error as IOError: return words(error.errnoCode)
        case let error as POSIXError: return words(error.code.rawValue)
        case let error as CocoaError:
            let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error
            return cause.map(reason) ?? error.localizedDescription
        default:
            let error = error as NSError
            return error.domain == NSPOSIXErrorDomain ? words(Int32(error.code)) : "\(error)"
        }
    }

    private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}
