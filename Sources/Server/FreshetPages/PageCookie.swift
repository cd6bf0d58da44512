// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HTTPTypes
import Hummingbird

/// A cookie of this host alone, sent over TLS only, out of reach of scripts (RFC 6265bis section 4.1.3.2).
struct PageCookie: Equatable, Sendable {
    enum SameSite: String, Sendable {
        /// Links from elsewhere bring it, forms from elsewhere do not.
        case lax = "Lax"
        case strict = "Strict"
    }

    let name: String
    var sameSite = SameSite.lax

    /// - Parameters:
    ///   - word: What it is for; a host's ports share their cookies, so sites on them have words of their own.
    ///   - sameSite: Whether it comes with links from other sites.
    init(_ word: String, sameSite: SameSite = .lax) {
        name = "__Host-freshet-\(word)"
        self.sameSite = sameSite
    }

    /// The field that sets it; it goes with the browser's session unless it is to live for so long.
    func setting(_ value: String, for lifetime: Duration? = nil) -> String {
        let end = lifetime.map { "; Max-Age=\($0.components.seconds)" } ?? ""
        return "\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=\(sameSite.rawValue)\(end)"
    }

    /// The field that takes it away.
    var clearing: String { setting("", for: .zero) }

    /// What a request brings.
    func value(in request: Request) -> String? {
        for field in request.headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0].trimmingPrefix(while: { $0 == " " }) == name else { continue }
                return String(parts[1])
            }
        }
        return nil
    }
}
