// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension SocketDefinition {
    /// All templates of the socket.
    var placed: [PlacedTemplate] {
        var all = [PlacedTemplate(path: "$.socket.path", place: .path, template: path)]
        switch token {
        case .query, .header: break
        case .subprotocol(let template):
            all.append(PlacedTemplate(path: "$.socket.token.subprotocol", place: .header, template: template))
        case .message(let template): all += template.placed(at: "$.socket.token.message", .body)
        }
        if case .message(let template) = renewal { all += template.placed(at: "$.socket.renewal.message", .body) }
        return all
    }
}

extension ContractLint {
    /// Checks that the socket gets the access token, and that socket rules have a socket.
    mutating func checkSocket() {
        guard let socket = document.socket else {
            for (index, rule) in document.rules.enumerated() where rule.channels == [.socket] {
                warning(
                    Self.rule(index),
                    "The contract has no socket for it.",
                    "Add 'socket', or remove the rule."
                )
            }
            return
        }
        switch socket.token {
        case .query(let name):
            warning(
                "$.socket.token.query",
                "The access token stands in the URL ('\(name)'), which servers and proxies write into their logs.",
                "Send it in a header, a subprotocol or the first message if the backend takes it there."
            )
        case .header: break
        case .subprotocol(let template): checkToken(template.names, "$.socket.token.subprotocol")
        case .message(let template): checkToken(template.names, "$.socket.token.message")
        }
        if case .message(let template) = socket.renewal { checkToken(template.names, "$.socket.renewal.message") }
    }

    private mutating func checkToken(_ names: [String], _ path: String) {
        guard !names.contains("access_token") else { return }
        error(path, "It does not hold the access token.", "Put '$access_token' into it.")
    }
}
