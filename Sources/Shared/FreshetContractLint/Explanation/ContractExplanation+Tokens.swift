// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractExplanation {
    static func travel(_ document: ContractDocument) -> Section {
        let requestAuthorization = document.requestAuthorization
        let scheme = requestAuthorization.scheme.isEmpty ? "" : "\(requestAuthorization.scheme) "
        let others = requestAuthorization.headers.map { "\($0.name): \($0.template)" }
        return section(
            "Where tokens are sent",
            [
                "A request of the app carries \(requestAuthorization.header): \(scheme)<access token>.",
                others.isEmpty ? nil : "It carries \(Phrasing.list(others)) as well.",
                requestAuthorization.hosts.isEmpty
                    ? "Only the host of the base URL sees it."
                    : "Only \(Phrasing.list(["the host of the base URL"] + requestAuthorization.hosts)) see it.",
                document.endpoints[.refresh].map { "A refresh is \($0.phrase(requestAuthorization))." },
                document.socket.map(socket),
                document.storage.synchronizable ? "The session is synchronized between the user's devices." : nil,
            ] + document.storage.imports.map(taken)
        )
    }

    private static func socket(_ socket: SocketDefinition) -> String {
        let place =
            switch socket.token {
            case .query(let name): "in its URL, as '\(name)'"
            case .header(let name, let scheme): "in \(name): \(scheme.isEmpty ? "" : "\(scheme) ")<access token>"
            case .subprotocol(let template): "as the subprotocol \(template)"
            case .message: "in its first message"
            }
        let renewal =
            switch socket.renewal {
            case .reconnect: "is opened again for a new one"
            case .message: "gets a new one in a message"
            }
        return "The socket \(socket.path) carries the access token \(place), and \(renewal)."
    }

    private static func taken(_ item: StorageDefinition.Import) -> String {
        let origin = item.synchronizable ? ", which is synchronized between the user's devices" : ""
        return "Tokens that an older version stored are imported: \(Phrasing.list(item.places.map(phrase)))\(origin)."
    }

    private static func phrase(_ place: StorageDefinition.Place) -> String {
        let item =
            switch place.item {
            case .named(let name): "'\(name)'"
            case .namedBy(let other): "the item that \(phrase(other)) names"
            }
        let service = place.service.map { " of '\($0)'" } ?? ""
        return "\(item)\(service)" + (place.pointer.map { ", at '\($0)'" } ?? "")
    }

    static func expiry(_ document: ContractDocument) -> Section {
        let reply = document.reply
        var sentences: [String?] = reply.expiry.map { source($0) }
        let readsToken = reply.expiry.contains(.token)
        if reply.expiry.isEmpty {
            sentences.append("No response contains it. If the token is a JWT, its 'exp' counts.")
        } else if !readsToken {
            sentences.append("If the token is a JWT, its 'exp' counts as well: the earlier of the two.")
        }
        sentences.append(reply.expiryBounds.map(bounds))
        if let end = reply.refreshExpiry {
            sentences += end.sources.map { source in
                if case .assumed(let seconds) = source {
                    return "If the response does not contain it, the session ends after \(Phrasing.time(seconds))."
                }
                return "The session's own end: \(Self.source(source))"
            }
            sentences.append(
                end.extends ? "Each refresh moves the session's end." : "No refresh moves the session's end."
            )
        }
        return section("When an access token counts as expired", sentences)
    }

    private static func bounds(_ bounds: ClosedRange<Double>) -> String {
        "A lifetime below \(Phrasing.time(bounds.lowerBound)) or above \(Phrasing.time(bounds.upperBound)) is ignored."
    }

    private static func source(_ source: ExpirySource) -> String {
        switch source {
        case .lifetime(let place, let unit, let since):
            let start = since.map { "the time at \(Phrasing.place($0))" } ?? "the request"
            return "\(Phrasing.place(place)) gives its lifetime in \(phrase(unit)), counted from \(start)."
        case .instant(let place, let unit):
            return "\(Phrasing.place(place)) gives the time, \(instant(unit))."
        case .token: return "The token's 'exp' gives the time."
        case .assumed(let seconds): return "If the response does not contain it: \(Phrasing.time(seconds))."
        }
    }

    private static func phrase(_ unit: ExpirySource.Unit) -> String {
        unit == .milliseconds ? "milliseconds" : "seconds"
    }

    private static func instant(_ unit: ExpirySource.Unit) -> String {
        switch unit {
        case .seconds, .milliseconds: "in \(phrase(unit)) since 1970"
        case .iso8601: "in ISO 8601"
        case .httpDate: "as an HTTP date"
        }
    }
}
