// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
package import FreshetWire
package import Hummingbird
import NIOCore

extension Response {
    /// Returns the response to a refresh: the same bytes as the general encoder's, at a fraction of the cost.
    package static func grant(_ grant: SessionTokens) -> Response { written(grant.json) }

    /// Returns the response of `/v1/me`.
    package static func me(_ me: Me) -> Response { written(me.json) }

    private static func written(_ json: UTF8Buffer) -> Response {
        Response(
            status: .ok,
            headers: JSONResponse.headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes))
        )
    }
}

extension Me {
    /// The body of a response, with the same bytes as the general encoder's.
    var json: UTF8Buffer {
        var json = UTF8Buffer(capacity: 192)
        json.add(#"{"session_id":""#)
        json.add(sessionID)
        json.add(#"","user":"#)
        user.write(to: &json)
        json.add("}")
        return json
    }
}

extension UserInfo {
    fileprivate func write(to json: inout UTF8Buffer) {
        json.add("{")
        if let email {
            json.add(#""email":"#)
            json.add(json: email)
            json.add(",")
        }
        json.add(#""id":"#)
        json.add(json: id)
        json.add("}")
    }
}

extension SessionTokens {
    /// The body of a response: sorted keys, unescaped slashes.
    ///
    /// Tokens consist of base64url and full stops, so they need no escapes; values that users choose are escaped.
    var json: UTF8Buffer {
        var json = UTF8Buffer(capacity: accessToken.utf8.count + 512)
        json.add(#"{"access_token":""#)
        json.add(accessToken)
        json.add(#"","expires_in":"#)
        json.add(expiresIn)
        if let hasProfile { json.add(hasProfile ? #","has_profile":true"# : #","has_profile":false"#) }
        if let isNewUser { json.add(isNewUser ? #","is_new_user":true"# : #","is_new_user":false"#) }
        if let refreshAfter {
            json.add(#","refresh_after":"#)
            json.add(refreshAfter)
        }
        json.add(#","refresh_expires_in":"#)
        json.add(refreshExpiresIn)
        json.add(#","refresh_token":""#)
        json.add(refreshToken)
        json.add(#"","server_time":"#)
        // The general encoder writes whole seconds without a fraction.
        if let whole = Int64(exactly: serverTime) { json.add(whole) } else { json.add("\(serverTime)") }
        json.add(#","session_id":""#)
        json.add(sessionID)
        json.add(#"","token_type":""#)
        json.add(tokenType)
        json.add(#"","user":"#)
        user.write(to: &json)
        json.add("}")
        return json
    }
}
