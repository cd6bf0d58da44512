// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SocketShape {
    init?(_ spot: Spot) {
        guard let fields = spot.fields(["path", "token", "renewal"]) else { return nil }
        let path = fields.required("path")?.pathTemplate()
        let token = fields.required("token").flatMap(TokenPlace.init)
        let renewal = fields["renewal"].map(Renewal.init) ?? .reconnect
        guard let path, let token, let renewal else { return nil }
        self.init(path: path, token: token, renewal: renewal)
    }
}

extension SocketShape.Renewal {
    init?(_ spot: Spot) {
        if spot.value.object != nil {
            guard let message = spot.fields(["message"])?.required("message")?.jsonTemplate() else { return nil }
            self = .message(message)
        } else {
            if spot.value.string != "reconnect" {
                spot.mistake("The renewal is 'reconnect' or an object with a 'message'.")
            }
            self = .reconnect
        }
    }
}

extension SocketShape.TokenPlace {
    init?(_ spot: Spot) {
        let places = ["query", "header", "subprotocol", "message"]
        guard let fields = spot.fields(places + ["scheme"]) else { return nil }
        let place = fields.only(of: places)
        if place != nil, fields["header"] == nil { fields.refuse(["scheme"], "A scheme goes with 'header' alone.") }
        switch place {
        case ("query", let spot)?:
            guard let name = spot.text() else { return nil }
            self = .query(name)
        case ("header", let spot)?:
            let name = spot.headerName(), scheme = fields["scheme"].map { $0.scheme() } ?? "Bearer"
            guard let name, let scheme else { return nil }
            self = .header(name, scheme: scheme)
        case ("subprotocol", let spot)?:
            guard let template = spot.template() else { return nil }
            self = .subprotocol(template)
        case (_, let spot)?:
            guard let template = spot.jsonTemplate() else { return nil }
            self = .message(template)
        case nil:
            spot.mistake("One of \(places.joined(separator: ", ")) says where the token goes.")
            return nil
        }
    }
}

extension ContractDocument.Fact {
    init?(_ spot: Spot) {
        guard let fields = spot.fields(["text", "checked"]) else { return nil }
        let text = fields.required("text")?.string()
        let marks = fields.required("checked")?.items()
        let checked = marks?.compactMap { $0.choice(of: Source.self) }
        if marks?.isEmpty == true {
            spot.mistake("Every fact says how it is known; what is not verified is marked 'K'.")
        }
        guard let text, let checked else { return nil }
        self.init(text: text, checked: checked)
    }
}
