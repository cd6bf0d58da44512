// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem
import NIOCore

extension ToolError {
    /// Converts an error at startup: a setting to correct, or a data folder that cannot be used.
    init(_ error: any StartupError) {
        switch error.cause {
        case .setting: self = .usage("\(error)")
        case .storage: self = .storeUnavailable("\(error)")
        }
    }

    /// Converts an error at startup, and names the setting and its source if a setting is the cause.
    init(_ error: any StartupError, _ reader: SettingsReader) {
        self.init(error)
        guard let name = error.setting, let given = reader.label(ofGiven: name) else { return }
        switch self {
        case .usage(let text): self = .usage("\(given): \(text)")
        case .storeUnavailable(let text): self = .storeUnavailable("\(given): \(text)")
        default: break
        }
    }

    /// Returns the error for a data folder that cannot be read or written.
    static func unusable(_ folder: URL, _ error: any Error) -> ToolError {
        .storeUnavailable("\(folder.path): cannot be used as the data folder (\(reason(of: error)))")
    }

    /// Returns the error for a file with a password that every user of the machine can read.
    static func openPasswordFile(_ setting: String, _ path: String) -> ToolError {
        .storeUnavailable(
            "\(setting): \(path): it contains a password, and every user may read it; chmod it to 0600, or to 0640 with the "
                + "service's group (in a container, set the mode of the secret)"
        )
    }

    /// Returns the error for an address on which the server cannot listen.
    static func cannotListen(_ host: String, _ port: Int, _ error: any Error) -> ToolError {
        .network("cannot listen on \(host), port \(port) (\(reason(of: error)))")
    }

    /// Returns the system's message, if it has one.
    static func reason(of error: any Error) -> String {
        switch error {
        case let error as IOError: return message(error.errnoCode)
        case let error as POSIXError: return message(error.code.rawValue)
        case let error as CocoaError:
            if let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error { return reason(of: cause) }
            return errors[error.code].map { message($0.rawValue) }
                ?? (error.code.rawValue < 200 ? message(Int32(error.code.rawValue)) : error.localizedDescription)
        default:
            let bridged = error as NSError
            // The description of a Swift error that was bridged has its type and a number only.
            return bridged.domain == NSPOSIXErrorDomain ? message(Int32(bridged.code)) : "\(error)"
        }
    }

    /// Foundation's codes on Linux, which come without the system's error; those below 200 are the system's.
    private static let errors: [CocoaError.Code: POSIXErrorCode] = [
        .fileNoSuchFile: .ENOENT, .fileReadNoSuchFile: .ENOENT, .fileReadNoPermission: .EACCES,
        .fileWriteNoPermission: .EACCES, .fileWriteFileExists: .EEXIST, .fileWriteOutOfSpace: .ENOSPC,
        .fileWriteVolumeReadOnly: .EROFS,
    ]

    private static func message(_ code: Int32) -> String { String(cString: strerror(code)) }
}
