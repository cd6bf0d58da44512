// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes

extension OpenAPISection {
    /// The server's health, and this description.
    static let health = OpenAPISection(operations: healthOperations, schemas: healthSchemas)

    private static let healthOperations: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .get,
            path: NativePath.openAPI,
            id: "describe",
            summary: "This document.",
            answers: [.ok("OpenAPI", "As it is now.")]
        ),
        OpenAPIOperation(
            method: .get,
            path: NativePath.live,
            id: "isAlive",
            summary: "Reports that the process responds.",
            answers: [.ok("Status", "As it is now.")]
        ),
        OpenAPIOperation(
            method: .get,
            path: NativePath.ready,
            id: "isReady",
            summary: "Reports whether the server can serve requests.",
            answers: [.ok("Status", "As it is now.")]
        ),
    ]

    private static let healthSchemas: [OpenAPISchema] = [
        OpenAPISchema(
            "OpenAPI",
            #"{"type":"object","required":["openapi","info","paths"],"properties":{"openapi":{"const":"3.1.0"}}}"#
        ),
        OpenAPISchema("Status", #"{"type":"object","required":["status"],"properties":{"status":{"const":"ok"}}}"#),
    ]
}
