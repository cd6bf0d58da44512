// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetIdentity
import FreshetWire
import HTTPTypes

extension OpenAPISection {
    /// The feed of ended sessions for resource servers.
    static let revocationFeed = OpenAPISection(operations: revocationFeedOperations, schemas: revocationFeedSchemas)

    private static let revocationFeedOperations: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .get,
            path: NativePath.ended,
            id: "endedSessions",
            summary: "Recently ended sessions, or those that end after a cursor; for confidential clients.",
            security: .client(isRequired: true),
            parameters: [
                #"{"name":"after","in":"query","description":"The cursor of an earlier response.","schema":{"type":"string"}}"#,
                #"""
                {"name":"wait","in":"query","description":"The longest wait for an ended session, in seconds.",
                  "schema":{"type":"integer","minimum":0,"maximum":\#(RevocationFeedReader.maximumWait)}}
                """#,
            ],
            answers: [
                .ok("EndedSessionList", "The ended sessions after the cursor."),
                .error(400, "The cursor is invalid, or the wait is out of range."),
            ]
        )
    ]

    private static let revocationFeedSchemas: [OpenAPISchema] = [
        OpenAPISchema(
            "EndedSessionList",
            #"""
            {"type":"object","required":["ended","cursor","more"],"additionalProperties":false,"properties":{
              "ended":{"type":"array","items":{"type":"object","required":["sid","reason","at"],
              "properties":{"sid":{"type":"string"},"reason":{"type":"string","description":"\#(OpenAPISchema.endReasons)"},"at":{"type":"number"}}}},
              "cursor":{"type":"string"},"more":{"type":"boolean"}}}
            """#
        )
    ]
}
