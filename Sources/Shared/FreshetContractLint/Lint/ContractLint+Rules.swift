// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractLint {
    /// Checks that the outcome of each rule is possible on its channels.
    mutating func checkRules() {
        for (index, rule) in document.rules.enumerated() {
            let path = Self.rule(index)
            if rule.outcome == .sessionEnded {
                checkEnd(rule, path)
                checkCloseCodes(rule, path)
            }
            if rule.outcome == .accessExpired {
                let strange = rule.channels.intersection([.refresh, .login, .confirm, .report])
                for channel in strange.sorted(by: { $0.rawValue < $1.rawValue }) {
                    error(
                        path,
                        "Requests on '\(channel.rawValue)' present no access token that could have expired.",
                        channel == .refresh ? "Choose 'sessionEnded' if that is meant." : "Choose another outcome."
                    )
                }
            }
            let faults: Set<ClassificationRule.Outcome> = [.refused, .forbidden]
            if faults.contains(rule.outcome), rule.channels.contains(.refresh) {
                warning(
                    path,
                    "The client cannot act on '\(rule.outcome.rawValue)' for a refresh: it keeps the session and reports a fault "
                        + "to the app.",
                    "Choose 'sessionEnded' if the session is over, 'misconfigured' if a developer has to fix it."
                )
            }
        }
    }

    private mutating func checkEnd(_ rule: ClassificationRule, _ path: String) {
        if rule.channels.contains(.login) {
            error(path, "On 'login' there is no session to end yet.", "Choose 'refused', or remove 'login'.")
        }
        guard rule.closeCodes == nil, rule.conditions.allSatisfy(\.holdsWhenAbsent) else { return }
        // The remaining checks are for rules that match without evidence in the body or the headers.
        let remedy = "Add a condition on the backend's response when the session has ended."
        if rule.statuses == nil {
            error(
                path,
                "The rule has no status and requires no value, so errors of proxies end the session as well.",
                remedy
            )
            return
        }
        let requests = rule.channels.intersection([.api, .socket]).map(\.rawValue).sorted()
        for channel in requests where rule.covers(401) {
            error(
                path,
                "A plain 401 on '\(channel)' means that the access token has expired, not the session.",
                "Choose 'accessExpired', so that the refresh decides about the session, or add a condition."
            )
        }
        for channel in requests where rule.covers(403) {
            error(path, "A plain 403 on '\(channel)' may also come from a firewall or a missing permission.", remedy)
        }
        if (100...399).contains(where: rule.covers) {
            error(
                path,
                "A status that is not an error ends the session.",
                "Use statuses from 400 on, or add a condition."
            )
        }
        for status in [408, 425] where rule.covers(status) {
            error(
                path,
                "Status \(status) asks the client to retry; it says nothing about the session.",
                "Leave it out."
            )
        }
        guard requests.isEmpty else { return }
        if rule.covers(403) {
            warning(path, "A plain 403 may also come from a firewall.", remedy)
        }
        if rule.covers(404) {
            warning(path, "A plain 404 may also come from a wrong base URL.", remedy)
        }
    }

    private mutating func checkCloseCodes(_ rule: ClassificationRule, _ path: String) {
        guard rule.closeCodes != nil else { return }
        for (code, meaning) in [
            (1000, "an orderly end"), (1001, "that the server is shutting down"), (1006, "a lost connection"),
            (1011, "a server's fault"), (1012, "a restart"), (1013, "that the server is overloaded"),
        ] where rule.covers(code) {
            error(path, "Close code \(code) means \(meaning), not the end of the session.", "Leave it out.")
        }
    }
}
