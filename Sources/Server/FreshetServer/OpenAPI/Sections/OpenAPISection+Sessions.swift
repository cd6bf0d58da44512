// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes

extension OpenAPISection {
    /// The signed-in user and the user's sessions.
    static let sessions = OpenAPISection(operations: sessionsOperations, schemas: sessionsSchemas)

    private static let sessionsOperations: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .post,
            path: NativePath.logoutAll,
            id: "signOutEverywhere",
            summary: "Ends all sessions of the user.",
            security: .bearer,
            answers: [.ok(nil, "All are over.", status: 204)]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.logoutOthers,
            id: "signOutElsewhere",
            summary: "Ends all other sessions of the user.",
            security: .bearer,
            answers: [.ok(nil, "They are over.", status: 204)]
        ),
        OpenAPIOperation(
            method: .get,
            path: NativePath.sessions,
            id: "listSessions",
            summary: "The user's sessions.",
            security: .bearer,
            answers: [.ok("SessionList", "The live sessions.")]
        ),
        OpenAPIOperation(
            method: .delete,
            path: NativePath.sessions + "/{id}",
            id: "endSession",
            summary: "Ends one of the user's sessions.",
            security: .bearer,
            answers: [.ok(nil, "It is over.", status: 204), .error(404, "The user has no such session.")]
        ),
        OpenAPIOperation(
            method: .get,
            path: NativePath.me,
            id: "whoAmI",
            summary: "Returns the signed-in user.",
            security: .bearer,
            answers: [.ok("Me", "The user and the session.")]
        ),
    ]

    private static let sessionsSchemas: [OpenAPISchema] = [
        OpenAPISchema(
            "Me",
            #"""
            {"type":"object","required":["user","session_id"],
              "properties":{"user":{"$ref":"#/components/schemas/User"},"session_id":{"type":"string"}}}
            """#
        ),
        OpenAPISchema(
            "Session",
            #"""
            {"type":"object","required":["id","current","device","created_at","last_used_at","expires_at"],
              "properties":{"id":{"type":"string"},"current":{"type":"boolean"},
              "device":{"$ref":"#/components/schemas/Device"},"created_at":{"type":"number"},
              "last_used_at":{"type":"number"},"expires_at":{"type":"number"},"place":{"type":"string"},
              "signed_in_by":{"type":"string"}}}
            """#
        ),
        OpenAPISchema(
            "SessionList",
            #"""
            {"type":"object","required":["sessions"],
              "properties":{"sessions":{"type":"array","items":{"$ref":"#/components/schemas/Session"}}}}
            """#
        ),
    ]
}
