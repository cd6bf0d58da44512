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
                        "On '\(channel.rawValue)' no access token is presented that could have expired.",
                        channel == .refresh ? "Choose 'sessionEnded' if that is meant." : "Choose another outcome."
                    )
                }
            }
            let faults: Set<ClassificationRule.Outcome> = [.refused, .forbidden]
            if faults.contains(rule.outcome), rule.channels.contains(.refresh) {
                warning(
                    path,
                    "To a refresh '\(rule.outcome.rawValue)' says nothing that the client could act on: it keeps the "
                        + "session and tells the app of a fault.",
                    "Choose 'sessionEnded' if the session is over, 'misconfigured' if a developer has to look."
                )
            }
        }
    }

    private mutating func checkEnd(_ rule: ClassificationRule, _ path: String) {
        if rule.channels.contains(.login) {
            error(path, "On 'login' there is no session yet that could end.", "Choose 'refused', or take 'login' away.")
        }
        guard rule.closeCodes == nil, rule.conditions.allSatisfy(\.holdsWhenAbsent) else { return }
        // From here on, the rule matches without evidence in the body or the headers.
        let remedy = "Add a condition on what the backend says when the session is over."
        if rule.statuses == nil {
            error(path, "The session ends by any answer that lacks something, whatever it is.", remedy)
            return
        }
        let requests = rule.channels.intersection([.api, .socket]).map(\.rawValue).sorted()
        for channel in requests where rule.covers(401) {
            error(
                path,
                "A plain 401 on '\(channel)' says that the access token is over, not the session.",
                "Choose 'accessExpired': the refresh tells about the session. Or add a condition."
            )
        }
        for channel in requests where rule.covers(403) {
            error(path, "A plain 403 on '\(channel)' is also what a firewall or a missing permission gives.", remedy)
        }
        if (100...399).contains(where: rule.covers) {
            error(
                path,
                "The session ends by a status that is no refusal.",
                "Name statuses from 400 on, or add a condition."
            )
        }
        for status in [408, 425] where rule.covers(status) {
            error(path, "Status \(status) asks to try again; it says nothing about the session.", "Leave it out.")
        }
        guard requests.isEmpty else { return }
        if rule.covers(403) {
            warning(path, "A plain 403 is also what a firewall gives.", remedy)
        }
        if rule.covers(404) {
            warning(path, "A plain 404 is also what a wrong base URL gives.", remedy)
        }
    }

    private mutating func checkCloseCodes(_ rule: ClassificationRule, _ path: String) {
        guard rule.closeCodes != nil else { return }
        for (code, meaning) in [
            (1000, "an orderly end"), (1001, "a server that goes away"), (1006, "a lost connection"),
            (1011, "a server's fault"), (1012, "a restart"), (1013, "a server that asks for patience"),
        ] where rule.covers(code) {
            error(path, "Close code \(code) means \(meaning), not the end of the session.", "Leave it out.")
        }
    }
}
