// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetDatabase
import FreshetEngine
import FreshetWire
import Logging

extension SessionRegistry {
    /// Returns the session of a sign-in whose response was lost, in its initial state.
    ///
    /// - Returns: The session; `nil` once the client has used it. The client has then received the response, and the
    ///   proof of the sign-in must not restore the session.
    func reopen(_ id: SessionID, at reading: ClockReading, in database: any SQLConnection) throws -> OpenedSession? {
        // The database may have lost the end of a session.
        guard ended.reason(of: id) == nil, let session = try SessionTable.find(id, in: database),
            try session.endReason(at: reading) == nil,
            session.rotation.current == 0, session.rotation.intent == nil,
            let user = try UserTable.find(session.user, in: database)
        else { return nil }
        let facts = try UserTable.signInFacts(user.id, opening: session.id, in: database)
        return OpenedSession(start: restart(session), user: user, facts: facts)
    }

    /// Logs a refused sign-in and emits its event.
    func logRefusal(
        by method: SignInMethod,
        of user: UUID? = nil,
        _ sessionPolicy: SessionPolicy,
        _ requester: Requester,
        _ metadata: Logger.Metadata
    ) {
        var metadata = metadata
        metadata["by"] = "\(method.rawValue)"
        metadata["source"] = "\(requester.source.map(\.description) ?? "?")"
        metadata["request_id"] = "\(requester.requestID)"
        log.notice("login refused", metadata: metadata.naming(sessionPolicy.contract))
        events.emit(.loginRefused(ServerEvent.Refusal(method: method, user: user)))
    }
}
