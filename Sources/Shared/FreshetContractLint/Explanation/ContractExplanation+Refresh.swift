// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractExplanation {
    static func refresh(_ document: ContractDocument) -> Section {
        guard document.rotation != .none else {
            return section(
                "When it is refreshed",
                ["Never: the session lasts as long as its access token, and then the user signs in again."]
            )
        }
        let policy = document.policy
        return section(
            "When it is refreshed",
            [
                policy.refreshBefore.map {
                    "\(Phrasing.time($0).capitalizedFirst) before its expiry at most, and never before half of its lifetime has passed."
                } ?? "When a fifth of its lifetime is left.",
                "Once, when a response says that it has expired; then \(replayed(document.replayMethods)).",
                policy.minimumInterval.map { "Not again within \(Phrasing.time($0)) of the last time." },
                rotation(document.rotation),
                document.reuseGrace.map {
                    "The backend accepts a used refresh token for another \(Phrasing.time($0))."
                },
            ]
        )
    }

    private static func replayed(_ methods: Set<String>?) -> String {
        guard let methods else { return "the request is sent again" }
        guard !methods.isEmpty else { return "no request is sent again" }
        return "the request is sent again if it is a \(Phrasing.list(methods.sorted(), "or"))"
    }

    private static func rotation(_ rotation: Rotation) -> String? {
        switch rotation {
        case .always: "Every refresh brings a new refresh token, and the old one is used up."
        case .optional: "A new refresh token is kept if the response has one; otherwise the old one stays."
        case .never: "The refresh token stays the same."
        case .sliding: "There is no refresh token: the access token renews itself."
        case .none: nil
        case .confirmed: "Every refresh is bound to an intent, brings a new refresh token, and is confirmed."
        }
    }

    static func signOut(_ document: ContractDocument) -> Section {
        let requestAuthorization = document.requestAuthorization
        func call(_ name: EndpointName, _ what: String) -> String? {
            document.endpoints[name].map { "\(what): \($0.phrase(requestAuthorization))." }
        }
        return section(
            "Sign-out",
            [
                "The client deletes its tokens at once.",
                call(.logout, "Then it tells the backend, and retries until that succeeds")
                    ?? "The backend has no endpoint for it: the tokens stay valid until they expire.",
                call(.logoutAll, "On all devices"),
            ]
        )
    }

    static func others(_ document: ContractDocument) -> Section {
        let calls: [(EndpointName, String)] = [
            (.sessionList, "The user's devices"), (.sessionRevoke, "Signing out another device"),
            (.me, "The signed-in user"),
        ]
        return section(
            "Other endpoints",
            calls.map { name, what in
                document.endpoints[name].map { "\(what): \($0.phrase(document.requestAuthorization))." }
            }
        )
    }

    static func server(_ document: ContractDocument) -> Section? {
        guard let server = document.server else { return nil }
        let times = [
            server.lifetimes.access.map { "an access token expires after \(Phrasing.time($0))" },
            server.lifetimes.idle.map { "a session that is not used after \(Phrasing.time($0))" },
            server.lifetimes.absolute.map { "any session after \(Phrasing.time($0))" },
        ].compactMap(\.self)
        return section(
            "Freshet's server as this backend",
            [
                server.rotation == .plain
                    ? "It changes the refresh token with every refresh." : "It keeps the refresh token.",
                times.isEmpty ? nil : "\(Phrasing.list(times).capitalizedFirst).",
                server.resources.isEmpty
                    ? nil : "It has \(Phrasing.list(server.resources.map { "\($0.method) \($0.path)" })) to try.",
            ]
        )
    }

    static func facts(_ document: ContractDocument) -> Section {
        let unverified = document.facts.filter { $0.fact.checked.contains(.unverified) }.count
        let lines: [String?] = document.facts.map { name, fact in
            let mark = fact.checked.contains(.unverified) ? "NOT VERIFIED " : ""
            let sources = fact.checked.compactMap(phrase)
            return "\(mark)\(name): \(fact.text)\(sources.isEmpty ? "" : " [\(sources.joined(separator: ", "))]")"
        }
        let count = lines.isEmpty ? nil : "Not verified: \(unverified) of \(lines.count)."
        return section("How this is known", lines + [count])
    }

    private static func phrase(_ source: ContractDocument.Fact.Source) -> String? {
        switch source {
        case .run: "run"
        case .source: "source"
        case .documentation: "documentation"
        case .thirdParty: "third party"
        case .unverified: nil
        }
    }
}

extension String {
    /// The text with its first letter capitalised.
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
