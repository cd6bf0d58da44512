// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting

/// A request to send a command to every open socket.
struct SocketChange: Decodable {
    var send: String?
    var ping: Bool?
    var close: UInt16?
    var reason: String?
    var drop: Bool?
    var malformed: Bool?

    func apply(to backend: AppBackend) throws {
        let isOne = [send != nil, ping == true, close != nil, drop == true, malformed == true].count { $0 } == 1
        guard isOne else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "sockets take one of send, ping, close, drop and malformed")
            )
        }
        if let send { backend.publish(send) }
        if ping == true { backend.pingSockets() }
        if let close { backend.closeSockets(code: close, reason: reason ?? "") }
        if drop == true { backend.dropSockets() }
        if malformed == true { backend.sendMalformedFrames() }
    }
}
