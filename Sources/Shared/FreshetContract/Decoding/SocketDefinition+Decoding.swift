// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SocketDefinition {
    init?(_ cursor: DecodingCursor) {
        guard let fields = cursor.fields(["path", "token", "renewal"]) else { return nil }
        let path = fields.required("path")?.pathTemplate()
        let token = fields.required("token").flatMap(TokenPlace.init)
        let renewal = fields["renewal"].map(Renewal.init) ?? .reconnect
        guard let path, let token, let renewal else { return nil }
        self.init(path: path, token: token, renewal: renewal)
    }
}

extension SocketDefinition.Renewal {
    init?(_ cursor: DecodingCursor) {
        if cursor.value.object != nil {
            guard let message = cursor.fields(["message"])?.required("message")?.jsonTemplate() else { return nil }
            self = .message(message)
        } else {
            if cursor.value.string != "reconnect" {
                cursor.diagnose("The renewal is 'reconnect' or an object with a 'message'.")
            }
            self = .reconnect
        }
    }
}

extension SocketDefinition.TokenPlace {
    init?(_ cursor: DecodingCursor) {
        let places = ["query", "header", "subprotocol", "message"]
        guard let fields = cursor.fields(places + ["scheme"]) else { return nil }
        let place = fields.only(of: places)
        if place != nil, fields["header"] == nil { fields.refuse(["scheme"], "A scheme goes with 'header' alone.") }
        switch place {
        case ("query", let cursor)?:
            guard let name = cursor.text() else { return nil }
            self = .query(name)
        case ("header", let cursor)?:
            let name = cursor.headerName(), scheme = fields["scheme"].map { $0.scheme() } ?? "Bearer"
            guard let name, let scheme else { return nil }
            self = .header(name, scheme: scheme)
        case ("subprotocol", let cursor)?:
            guard let template = cursor.template() else { return nil }
            self = .subprotocol(template)
        case (_, let cursor)?:
            guard let template = cursor.jsonTemplate() else { return nil }
            self = .message(template)
        case nil:
            cursor.diagnose("One of \(places.joined(separator: ", ")) must say where the token goes.")
            return nil
        }
    }
}

extension ContractDocument.Fact {
    init?(_ cursor: DecodingCursor) {
        guard let fields = cursor.fields(["text", "checked"]) else { return nil }
        let text = fields.required("text")?.string()
        let marks = fields.required("checked")?.items()
        let checked = marks?.compactMap { $0.choice(of: Source.self) }
        if marks?.isEmpty == true {
            cursor.diagnose("Every fact says how it is known; what is not verified is marked 'K'.")
        }
        guard let text, let checked else { return nil }
        self.init(text: text, checked: checked)
    }
}
