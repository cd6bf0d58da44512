// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HTTPTypes
import HummingbirdCore

/// All the paths of this server that are sockets.
struct SocketDoors: Sendable {
    private var doors: [SocketDoor] = []

    mutating func add(_ door: SocketDoor) { doors.append(door) }

    /// The door at the path of a request.
    func door(of head: HTTPRequest) -> SocketDoor? {
        let path = URI(head.path ?? "").path
        return doors.first { $0.terms.pattern.matches(path) }
    }
}
