// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

@testable import FreshetKit

/// Answers that no honest backend gives, the same ones for the same seed.
struct HostileReplyGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func answer() -> HTTPReply {
        var headers: [String: String] = [:]
        for _ in 0..<Int.random(in: 0...4, using: &self) {
            headers[pick(Self.headerNames)] = pick(Self.headerValues)
        }
        return HTTPReply(status: pick(Self.statuses), headers: headers, body: body())
    }

    private mutating func pick<Item>(_ items: [Item]) -> Item { items[Int.random(in: items.indices, using: &self)] }

    private mutating func body() -> Data {
        switch Int.random(in: 0...5, using: &self) {
        case 0:
            return Data(
                (0..<Int.random(in: 0...200, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
            )
        case 1: return Data(pick(Self.bodies).utf8)
        case 2: return Data(String(repeating: pick(["[", "{\"a\":", "\"", "\\", "1", "-"]), count: 5000).utf8)
        default: return mutated(Data(json(depth: 0).utf8))
        }
    }

    /// A JSON text that has the names which contracts look for, with values of every type.
    private mutating func json(depth: Int) -> String {
        guard depth < 4 else { return pick(Self.scalars) }
        switch Int.random(in: 0...3, using: &self) {
        case 0: return pick(Self.scalars)
        case 1: return "[\((0..<2).map { _ in json(depth: depth + 1) }.joined(separator: ","))]"
        default:
            let members = (0..<5).map { _ in "\"\(pick(Self.names))\":\(json(depth: depth + 1))" }
            return "{\(members.joined(separator: ","))}"
        }
    }

    private mutating func mutated(_ data: Data) -> Data {
        var bytes = Array(data)
        guard Bool.random(using: &self), !bytes.isEmpty else { return data }
        let place = Int.random(in: bytes.indices, using: &self)
        switch Int.random(in: 0...3, using: &self) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &self)
        case 1: bytes.removeLast(bytes.count - place)
        case 2: bytes.insert(contentsOf: bytes[..<place], at: place)
        default: bytes.insert(UInt8.random(in: 0...255, using: &self), at: place)
        }
        return Data(bytes)
    }

    private static let statuses = [
        0, 100, 199, 200, 201, 204, 206, 299, 301, 302, 304, 307, 400, 401, 403, 404, 405, 408, 409, 410, 418, 422, 425,
        429, 431, 451, 499, 500, 501, 502, 503, 504, 521, 599, 600, 999, -1,
    ]
    private static let headerNames = [
        "Content-Type", "Date", "Retry-After", "WWW-Authenticate", "Set-Cookie", "Authorization", "Location",
        "x-access-token",
    ]
    private static let headerValues = [
        "", "application/json", "text/html", "text/plain; charset=x", "application/x-www-form-urlencoded", "-1", "1e99",
        "99999999999999999999", "Sun, 06 Nov 1994 08:49:37 GMT", "Bearer error=\"invalid_token\"", "=;=;,,=",
        "refresh_token=a; Expires=Sun, 06 Nov 1994 08:49:37 GMT, x=y", "Bearer a b\r\nX: y",
    ]
    private static let names = [
        "access_token", "accessToken", "access", "token", "refresh_token", "refreshToken", "refresh", "expires_in",
        "expiresIn", "expires_at", "expires", "error", "error_code", "error_description", "message", "detail", "code",
        "success", "ok", "data", "user", "id", "email", "reason", "AuthenticationResult", "AccessToken", "ExpiresIn",
        "id_token", "session", "", "\u{202E}", "__type", "status", "token_type",
    ]
    private static let scalars = [
        "null", "true", "false", "0", "-1", "1e400", "-1e400", "1.5", "9223372036854775808", "\"\"", "\"a\"",
        "\"invalid_grant\"", "\"Bearer\"", "\"a\\u0000b\"", "\"\\ud800\"", "\"3600\"", "\"2027-01-15T08:00:00Z\"",
        "\"e30.eyJleHAiOjFlOTk5fQ.x\"", "\"e30.eyJleHAiOi0xLCJpYXQiOjl9.x\"",
        "\"\(String(repeating: "x", count: 300))\"",
    ]
    private static let bodies = [
        "", " ", "null", "<html>invalid_grant</html>", "\u{FEFF}{}", "error=invalid_grant",
        "access_token=a&access_token=b",
        "%", "a=%zz", "{\"error\":\"invalid_grant\"}", "{\"error\":\"invalid_grant\",\"error\":\"x\"}",
        "{\"error\":\"invalid_grant\"", "{\"error\":{\"message\":\"TOKEN_EXPIRED\"}}",
    ]
}
