// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetWire
import Hummingbird
import NIOCore

extension Response {
    /// What a refresh answers: byte for byte what the general encoder makes of a grant, for a fraction of its cost.
    static func grant(_ grant: Grant) -> Response {
        Response(
            status: .ok,
            headers: JSONAnswer.headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: grant.json))
        )
    }
}

extension Grant {
    /// The body of an answer: members in order, slashes as they are.
    ///
    /// Tokens are base64url and full stops, so nothing in them needs an escape; what users choose is escaped.
    var json: String {
        let hint = refreshAfter.map { #""refresh_after":\#($0),"# } ?? ""
        let email = user.email.map { #""email":\#(JSONValue.string($0).jsonText),"# } ?? ""
        return """
            {"access_token":"\(accessToken)","expires_in":\(expiresIn),\(hint)\
            "refresh_expires_in":\(refreshExpiresIn),"refresh_token":"\(refreshToken)",\
            "server_time":\(Self.number(serverTime)),"session_id":"\(sessionID)","token_type":"\(tokenType)",\
            "user":{\(email)"id":\(JSONValue.string(user.id).jsonText)}}
            """
    }

    /// A moment in seconds: whole ones without a fraction, as the general encoder writes them.
    private static func number(_ seconds: Double) -> String {
        seconds == seconds.rounded() ? String(Int64(seconds)) : "\(seconds)"
    }
}
