// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SocketShape {
    init?(_ spot: Spot) {
        guard let fields = spot.fields(["path", "token", "renewal"]),
            let path = fields.required("path")?.pathTemplate(),
            let token = fields.required("token").flatMap(TokenPlace.init)
        else { return nil }
        self.init(path: path, token: token, renewal: .reconnect)
        guard let renewal = fields["renewal"] else { return }
        if renewal.value.object != nil {
            if let message = renewal.fields(["message"])?.required("message")?.jsonTemplate() {
                self.renewal = .message(message)
            }
        } else if renewal.string() != "reconnect" {
            renewal.mistake("The renewal is 'reconnect' or an object with a 'message'.")
        }
    }
}

extension SocketShape.TokenPlace {
    init?(_ spot: Spot) {
        let places = ["query", "header", "subprotocol", "message"]
        guard let fields = spot.fields(places + ["scheme"]) else { return nil }
        switch fields.only(of: places) {
        case ("query", let spot)?:
            guard let name = spot.text() else { return nil }
            self = .query(name)
        case ("header", let spot)?:
            guard let name = spot.headerName() else { return nil }
            self = .header(name, scheme: fields["scheme"]?.string() ?? "Bearer")
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

extension StorageShape {
    init?(_ spot: Spot) {
        guard let fields = spot.fields(["synchronizable", "imports"]) else { return nil }
        self.init()
        synchronizable = fields["synchronizable"]?.bool() ?? false
        imports = fields["imports"]?.items()?.compactMap(Import.init) ?? []
    }
}

extension StorageShape.Import {
    init?(_ spot: Spot) {
        guard let fields = spot.fields(["access", "refresh", "expiresAt", "synchronizable"]),
            let access = fields.required("access")?.text()
        else { return nil }
        self.init(access: access)
        refresh = fields["refresh"]?.text()
        synchronizable = fields["synchronizable"]?.bool() ?? false
        if let expiry = fields["expiresAt"]?.fields(["item", "unit"]) {
            expiresAt = expiry.required("item")?.text()
            expiryUnit = expiry.required("unit")?.unit([.iso8601, .seconds, .milliseconds]) ?? .iso8601
        }
    }
}

extension ContractDocument.Fact {
    init?(_ spot: Spot) {
        guard let fields = spot.fields(["text", "checked"]), let text = fields.required("text")?.string(),
            let checked = fields.required("checked")?.items()?.compactMap({ $0.choice(of: Source.self) })
        else { return nil }
        self.init(text: text, checked: checked)
        if checked.isEmpty { spot.mistake("Every fact says how it is known; what is not verified is marked 'K'.") }
    }
}

extension ServerShape {
    init?(_ spot: Spot) {
        guard let fields = spot.fields(["rotation", "lifetimes", "replies", "resources", "errors"]),
            let rotation = fields.required("rotation")?.choice(of: Rotation.self)
        else { return nil }
        self.init(rotation: rotation)
        if let times = fields["lifetimes"]?.fields(["access", "idle", "absolute"]) {
            lifetimes.access = times["access"]?.seconds()
            lifetimes.idle = times["idle"]?.seconds()
            lifetimes.absolute = times["absolute"]?.seconds()
        }
        for (text, spot) in fields["replies"]?.members() ?? [] {
            let name = text == "login" ? EndpointName.password : EndpointName(text)
            guard let name else {
                spot.mistake("There is no endpoint '\(text)' to reply to; 'login' stands for all sign-ins.")
                continue
            }
            replies[name] = Answer(spot)
        }
        resources = fields["resources"]?.items()?.compactMap(Resource.init) ?? []
        for (text, spot) in fields["errors"]?.members() ?? [] {
            guard let refusal = Refusal(rawValue: text) else {
                let known = Refusal.allCases.map(\.rawValue).joined(separator: ", ")
                spot.mistake("There is no error '\(text)'; those are \(known).")
                continue
            }
            refusals[refusal] = Answer(spot)
        }
    }
}

extension ServerShape.Answer {
    init?(_ spot: Spot) {
        guard let fields = spot.fields(["status", "json", "headers"]) else { return nil }
        self.init()
        if let status = fields["status"] {
            if case .number(let number) = status.value, let code = number.int, (200...599).contains(code) {
                self.status = code
            } else {
                status.mistake("A status is a number from 200 to 599.")
            }
        }
        json = fields["json"]?.jsonTemplate()
        headers = fields["headers"]?.headers() ?? []
        for name in (json?.names ?? []) + headers.flatMap(\.template.names) where !ServerShape.names.contains(name) {
            let known = ServerShape.names.sorted().joined(separator: ", ")
            spot.mistake("'\(name)' is no value of an answer; those are \(known).")
        }
    }
}

extension ServerShape.Resource {
    init?(_ spot: Spot) {
        guard let fields = spot.fields(["method", "path", "reply"]), let path = fields.required("path")?.text(),
            let reply = fields.required("reply").flatMap(ServerShape.Answer.init)
        else { return nil }
        self.init(method: fields["method"]?.method() ?? "GET", path: path, reply: reply)
        if !path.hasPrefix("/") { fields["path"]?.mistake("A path begins with '/'.") }
    }
}
