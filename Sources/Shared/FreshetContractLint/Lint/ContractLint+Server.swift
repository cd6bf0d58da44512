// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractLint {
    /// Checks that the server's settings are consistent with the client's.
    mutating func checkServer() {
        guard let server = document.server else { return }
        switch (server.rotation, document.rotation) {
        case (.static, .always), (.static, .confirmed):
            error(
                "$.server.rotation",
                "The server keeps the refresh token, but the client expects a new one (rotation '\(document.rotation.rawValue)').",
                "Set it to 'plain', or 'rotation' to 'optional' or 'never'."
            )
        case (.plain, .never):
            error(
                "$.server.rotation",
                "The server changes the refresh token, but the client never accepts a new one.",
                "Set it to 'static', or 'rotation' to 'optional' or 'always'."
            )
        default: break
        }
        checkLifetimes(server.lifetimes)
        var seen: Set<String> = []
        for (index, resource) in server.resources.enumerated() {
            guard !seen.insert("\(resource.method) \(resource.path)").inserted else { continue }
            error(
                JSONPath.item("$.server.resources", index),
                "\(resource.method) \(resource.path.quoted) is a duplicate of an earlier one.",
                "Remove it."
            )
        }
    }

    private mutating func checkLifetimes(_ lifetimes: ServerDefinition.Lifetimes) {
        for (name, end) in [("idle", lifetimes.idle), ("absolute", lifetimes.absolute)] {
            guard let access = lifetimes.access, let end, access > end else { continue }
            error(
                "$.server.lifetimes.access",
                "An access token's lifetime exceeds the session's ('\(name)' is \(end.shown) s): the session expires "
                    + "before its first refresh.",
                "Keep 'access' below '\(name)'."
            )
        }
        if let idle = lifetimes.idle, let absolute = lifetimes.absolute, idle > absolute {
            warning(
                "$.server.lifetimes.idle",
                "The session expires before the idle time is reached.",
                "Keep 'idle' at or below 'absolute'."
            )
        }
    }

    /// Checks that a client of the contract interprets the server's responses as intended.
    mutating func checkServerAnswers() {
        guard let server = document.server else { return }
        let signIns = document.endpoints.keys.filter { $0.isLogin && $0 != .code }.sorted { $0.text < $1.text }
        for name in signIns where server.replies[name] == nil && server.replies[.password] == nil {
            error("$.server.replies", "There is no reply to '\(name)'.", "Add 'login', which stands for all sign-ins.")
        }
        if document.endpoints[.refresh] != nil, server.replies[.refresh] == nil {
            error("$.server.replies", "There is no reply to 'refresh'.", "Add 'refresh'.")
        }
        for (name, answer) in server.replies.sorted(by: { $0.key.text < $1.key.text }) {
            let path = JSONPath.member("$.server.replies", name == .password ? "login" : name.text)
            let sample = SampleResponse(answer, document)
            if name == .code {
                checkAttempt(sample, path)
            } else if name.isLogin || name == .refresh {
                checkGrant(sample, name, path)
            }
        }
        checkRefusals(server)
    }

    private mutating func checkGrant(_ sample: SampleResponse, _ name: EndpointName, _ path: String) {
        let outcome = sample.outcome(on: name == .refresh ? .refresh : .login)
        if outcome != .delivered {
            error(
                path,
                "The client classifies it as '\(outcome.rawValue)'.",
                "Change it so that 'success' and the rules accept it."
            )
        }
        if !sample.has("access_token", at: document.reply.access) {
            error(
                path,
                "The client finds no access token in it.",
                "Put '$access_token' at the place that 'reply' gives."
            )
        }
        let bringsRefreshToken = name != .refresh || document.server?.rotation == .plain
        if hasRefreshToken, bringsRefreshToken, !document.reply.refresh.isEmpty,
            !sample.has("refresh_token", at: document.reply.refresh)
        {
            error(
                path,
                "The client finds no refresh token in it.",
                "Put '$refresh_token' at the place that 'reply' gives."
            )
        }
    }

    private mutating func checkAttempt(_ sample: SampleResponse, _ path: String) {
        guard document.endpoints[.codeVerify]?.names.contains("attempt") == true, !document.reply.attempt.isEmpty,
            !sample.has("attempt", at: document.reply.attempt)
        else { return }
        error(path, "The client finds no attempt in it.", "Put '$attempt' at the place that 'reply' gives.")
    }

    private mutating func checkRefusals(_ server: ServerDefinition) {
        typealias Outcome = ClassificationRule.Outcome
        let wanted: [(ServerDefinition.Refusal, ClassificationRule.Channel, Outcome)] = [
            (.accessExpired, .api, .accessExpired), (.sessionEnded, .refresh, .sessionEnded),
            (.refused, .login, .refused),
            (.throttled, .refresh, .throttled),
        ]
        for (refusal, channel, meaning) in wanted {
            guard let answer = server.refusals[refusal], isAsked(on: channel) else { continue }
            let outcome = SampleResponse(answer, document).outcome(on: channel)
            guard outcome != meaning else { continue }
            error(
                "$.server.errors.\(refusal.rawValue)",
                "On '\(channel.rawValue)' the client classifies it as '\(outcome.rawValue)'.",
                "Change it so that the rules classify it as '\(meaning.rawValue)'."
            )
        }
        for refusal in [ServerDefinition.Refusal.superseded, .invalidRequest, .forbidden, .notFound] {
            guard let answer = server.refusals[refusal], document.endpoints[.refresh] != nil,
                SampleResponse(answer, document).outcome(on: .refresh) == .sessionEnded
            else { continue }
            error(
                "$.server.errors.\(refusal.rawValue)",
                "On 'refresh' it would sign the user out.",
                "Give it a status or code that differs from the end of the session."
            )
        }
    }

    private func isAsked(on channel: ClassificationRule.Channel) -> Bool {
        switch channel {
        case .login: document.endpoints.keys.contains(where: \.isLogin)
        case .refresh: document.endpoints[.refresh] != nil
        default: true
        }
    }
}
