// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// A message of the native socket about the session itself.
enum SocketAnnouncement: Encodable, Equatable {
    /// The client is authenticated, by a token that expires in this many seconds.
    case ready(SessionID, expiresIn: Int)
    /// The session has ended; a close frame follows.
    case sessionEnded(EndReason)

    private enum CodingKeys: String, CodingKey {
        case type, reason
        case sessionID = "session_id"
        case expiresIn = "expires_in"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .ready(let session, let expiresIn):
            try container.encode("ready", forKey: .type)
            try container.encode(session, forKey: .sessionID)
            try container.encode(expiresIn, forKey: .expiresIn)
        case .sessionEnded(let reason):
            try container.encode("session_ended", forKey: .type)
            try container.encode(reason.rawValue, forKey: .reason)
        }
    }
}
