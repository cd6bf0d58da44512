// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import FreshetContract
import FreshetEngine
import HTTPTypes

/// Every path of a server: the native ones, and those of its dialects.
struct ServerRoutes {
    private(set) var table = RouteTable()
    /// The paths where a request may become a socket.
    private(set) var doors = SocketDoors()
    /// The pages for people.
    private(set) var sites: [PageSite] = []

    init(_ parts: ServerParts, listener: SocketListener?) throws {
        let bodyLimit = parts.configuration.limits.bodyBytes
        let signIn = parts.signIn
        LoginRoutes(passwords: signIn.passwords, codes: signIn.codes, clients: parts.clients, bodyLimit: bodyLimit)
            .add(to: &table)
        AccountRoutes(
            passwords: signIn.passwordChange,
            links: signIn.links,
            bearer: parts.bearer,
            bodyLimit: bodyLimit
        ).add(to: &table)
        if let apple = signIn.apple { AppleRoutes(login: apple, bodyLimit: bodyLimit).add(to: &table) }
        RefreshRoutes(sessions: parts.sessions, bodyLimit: bodyLimit).add(to: &table)
        SessionRoutes(sessions: parts.sessions, bearer: parts.bearer).add(to: &table)
        ProfileRoutes(sessions: parts.sessions, bearer: parts.bearer, bodyLimit: bodyLimit).add(to: &table)
        addOAuth(parts)
        OperationRoutes(
            keys: parts.keys,
            database: parts.database
        ).add(to: &table)
        let native = Self.door(try .native(), parts, listener)
        SocketRoutes(door: native).add(to: &table)
        doors.add(native)
        FeedRoutes(clients: parts.clients, reader: parts.feed).add(to: &table)
        OpenAPIDocument(table).add(to: &table)
        if parts.configuration.pages.isOn {
            let account = AccountPages(parts)
            account.add(to: &table)
            sites.append(account.site)
        }
        // What is ours stays ours: a dialect's path that is taken is refused.
        var map = RouteMap(table)
        for dialect in parts.configuration.dialects { try add(dialect, parts, listener, &map) }
    }

    private mutating func addOAuth(_ parts: ServerParts) {
        let configuration = parts.configuration
        let bodyLimit = configuration.limits.bodyBytes
        OAuthRoutes(clients: parts.clients, sessions: parts.sessions, bearer: parts.bearer, bodyLimit: bodyLimit)
            .add(to: &table)
        IntrospectionRoutes(
            clients: parts.clients,
            sessions: parts.sessions,
            bearer: parts.bearer,
            issuer: configuration.issuer,
            audience: configuration.audience,
            bodyLimit: bodyLimit
        ).add(to: &table)
        MetadataRoutes(issuer: configuration.issuer, register: parts.clients.register).add(to: &table)
    }

    private mutating func add(
        _ dialect: Dialect,
        _ parts: ServerParts,
        _ listener: SocketListener?,
        _ map: inout RouteMap
    ) throws {
        let actions = DialectActions(
            terms: dialect.terms,
            attachment: dialect.contract.attachment,
            passwords: parts.signIn.passwords,
            codes: parts.signIn.codes,
            apple: parts.signIn.apple,
            sessions: parts.sessions,
            bearer: parts.bearer
        )
        let bodyLimit = parts.configuration.limits.bodyBytes
        let routes = DialectRoutes(dialect: dialect, actions: actions, bodyLimit: bodyLimit)
        try routes.add(to: &table, &map)
        guard let terms = try routes.socketTerms() else { return }
        let door = Self.door(terms, parts, listener)
        try routes.add(door, to: &table, &map)
        doors.add(door)
    }

    private static func door(_ terms: SocketTerms, _ parts: ServerParts, _ listener: SocketListener?) -> SocketDoor {
        let (load, proxies) = (parts.load, parts.configuration.signIn.trustedProxies)
        return SocketDoor(
            terms: terms,
            bearer: parts.bearer,
            isAlive: { [sessions = parts.sessions] in try await sessions.isAlive(.accessToken($0)) },
            hub: parts.sockets,
            origins: Set(parts.configuration.allowedOrigins.map { $0.lowercased() }),
            listener: listener,
            log: parts.log,
            network: { head, peer in
                load.network(of: .source(of: head.headerFields, peer: peer, proxies: proxies), peer: peer)
            }
        )
    }
}
