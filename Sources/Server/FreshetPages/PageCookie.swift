// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A host-only cookie, sent over TLS only, hidden from scripts (RFC 6265bis section 4.1.3.2).
struct PageCookie: Equatable, Sendable {
    enum SameSite: String, Sendable {
        /// Sent with links from other sites, but not with their forms.
        case lax = "Lax"
        case strict = "Strict"
    }

    let name: String
    var sameSite = SameSite.lax

    /// Creates a cookie.
    ///
    /// - Parameters:
    ///   - suffix: The name of its purpose; a host's ports share cookies, so sites on them need different ones.
    ///   - sameSite: Whether it is sent with links from other sites.
    init(_ suffix: String, sameSite: SameSite = .lax) {
        name = "__Host-freshet-\(suffix)"
        self.sameSite = sameSite
    }

    /// Returns the `Set-Cookie` value that sets it, as a session cookie unless it has a lifetime.
    func setting(_ value: String, for lifetime: Duration? = nil) -> String {
        let end = lifetime.map { "; Max-Age=\($0.components.seconds)" } ?? ""
        return "\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=\(sameSite.rawValue)\(end)"
    }

    /// The `Set-Cookie` value that deletes it.
    var clearing: String { setting("", for: .zero) }
}
