// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension ContractDocument {
    static func readVariables(_ cursor: DecodingCursor?) -> [String: Variable] {
        declared(cursor, besides: [:]) { fields in
            Variable(about: fields["about"]?.string(), defaultValue: fields["default"]?.string())
        }
    }

    static func readSecrets(_ cursor: DecodingCursor?, besides variables: [String: Variable]) -> [String: Variable] {
        declared(cursor, besides: variables) { fields in
            fields.refuse(["default"], "A contract holds no secret, so a secret has no default.")
            return Variable(about: fields["about"]?.string(), defaultValue: nil)
        }
    }

    private static func declared(
        _ cursor: DecodingCursor?,
        besides others: [String: Variable],
        _ read: (DecodingFields) -> Variable
    ) -> [String: Variable] {
        var found: [String: Variable] = [:]
        for (name, cursor) in cursor?.members() ?? [] {
            if builtInNames.contains(name) {
                cursor.diagnose("'\(name)' has a meaning of its own; choose another name.")
            }
            if others[name] != nil { cursor.diagnose("'\(name)' is a variable as well; one of the two must go.") }
            if !Template.isName(name) {
                cursor.diagnose("\(name.quoted) is not a name; names consist of letters, digits and '_'.")
            }
            // An invalid variable counts as declared, so that its uses are not reported as well.
            found[name] = cursor.fields(["about", "default"]).map(read) ?? Variable()
        }
        return found
    }

    /// Returns the names for which the client has values.
    static func vocabulary(_ document: ContractDocument, _ fields: DecodingFields) -> DecodingCursor.Log.Vocabulary {
        for section in [fields["variables"], fields["secrets"]] {
            if let section, section.value.object == nil { return .anything }
        }
        return .client(builtInNames.union(document.variables.keys).union(document.secrets.keys))
    }

    static func readEndpoints(_ cursor: DecodingCursor?) -> [EndpointName: Endpoint] {
        var endpoints: [EndpointName: Endpoint] = [:]
        for (text, cursor) in cursor?.members() ?? [] {
            if let name = EndpointName(text) {
                endpoints[name] = Endpoint(cursor)
            } else {
                let known = EndpointName.others.map(\.text).joined(separator: ", ")
                cursor.unknown(
                    "There is no endpoint \(text.quoted). Sign-ins begin with 'login.', the others are \(known)."
                )
            }
        }
        return endpoints
    }

    /// Checks that the endpoints and the reply fit the rotation.
    ///
    /// Keys with invalid values count as present, so that each error is reported only once.
    static func check(_ rotation: Rotation, _ fields: DecodingFields) {
        let endpoints = fields["endpoints"].map { $0.value.object?.names } ?? []
        if let endpoints {
            if rotation != .none, !endpoints.contains(EndpointName.refresh.text) {
                fields.cursor.diagnose("Without an endpoint 'refresh' the rotation can only be 'none'.")
            }
            if rotation == .none, endpoints.contains(EndpointName.refresh.text) {
                fields["rotation"]?.diagnose("There is an endpoint 'refresh', so the rotation cannot be 'none'.")
            }
            for name in [EndpointName.confirm, .report, .logout] where rotation == .confirmed {
                guard !endpoints.contains(name.text) else { continue }
                fields.cursor.diagnose("The rotation is 'confirmed', so there must be an endpoint '\(name)'.")
            }
        }
        if rotation == .always || rotation == .confirmed, let reply = fields["reply"],
            let members = reply.value.object, members["refresh"] == nil
        {
            reply.diagnose("The rotation is '\(rotation.rawValue)', so 'refresh' must say where the token is.")
        }
    }
}
