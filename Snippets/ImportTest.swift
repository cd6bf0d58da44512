// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit
import FreshetTesting

guard let server = URL(string: "https://api.example.com") else { exit(64) }
// snippet.show
let old = InMemoryLegacyTokenSource(["accessToken": "old-access", "refreshToken": "old-refresh"])
let store = InMemoryStore()
let session = try AuthSession(contract: .creatist, baseURL: server, store: store, transport: ManualTransport())
let isImported = try await session.importSession(from: old)
print(isImported, session.state.isSignedIn, session.status.isRenewable, old.keys.isEmpty)  // true true true true

// The next launch finds the session in the new store, and nothing to import.
let relaunched = try AuthSession(contract: .creatist, baseURL: server, store: store, transport: ManualTransport())
print(try await relaunched.importSession(from: old), relaunched.state.isSignedIn)  // false true
