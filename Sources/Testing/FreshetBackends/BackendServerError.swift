// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reason that a fake backend cannot be served.
package enum BackendServerError: Error, Equatable, CustomStringConvertible {
    case unknownBackend(String)
    case unusablePort(Int)
    case unreadableSettings(String)
    case unreadableFaults(String)

    package var description: String {
        switch self {
        case .unknownBackend(let name):
            "there is no backend \"\(name)\"; there are \(BackendServer.backends.joined(separator: ", "))"
        case .unusablePort(let port): "\(port) is no port; they go from 0 to 65535"
        case .unreadableSettings(let reason): "the backend's settings cannot be read: \(reason)"
        case .unreadableFaults(let reason): "the backend's faults cannot be read: \(reason)"
        }
    }
}
