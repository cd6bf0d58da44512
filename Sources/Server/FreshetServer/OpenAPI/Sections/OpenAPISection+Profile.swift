// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes

extension OpenAPISection {
    /// The signed-in user's profile.
    static let profile = OpenAPISection(operations: profileOperations, schemas: profileSchemas)

    private static let profileOperations: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .get,
            path: NativePath.profile,
            id: "readProfile",
            summary: "The names that the signed-in user chose.",
            security: .bearer,
            answers: [.ok("Profile", "The profile."), .error(404, "The user has no profile.")]
        ),
        OpenAPIOperation(
            method: .put,
            path: NativePath.profile,
            id: "setProfile",
            summary: "Creates or changes the profile; omitted names stay.",
            security: .bearer,
            body: .json("Profile"),
            answers: [.ok("Profile", "The profile as it is now.")]
        ),
        OpenAPIOperation(
            method: .delete,
            path: NativePath.profile,
            id: "deleteProfile",
            summary: "Deletes the profile and its names.",
            security: .bearer,
            answers: [.ok(nil, "The profile was deleted.", status: 204)]
        ),
    ]

    private static let profileSchemas: [OpenAPISchema] = [
        OpenAPISchema(
            "Profile",
            #"""
            {"type":"object","properties":{
              "username":{"type":["string","null"],"description":"The name in the app; need not be unique."},
              "name":{"type":["string","null"],"description":"The full name."}}}
            """#
        )
    ]
}
