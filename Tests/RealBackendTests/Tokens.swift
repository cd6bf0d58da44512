// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A pair of tokens as a backend gave it.
struct Tokens: Sendable {
    var access: String
    var refresh: String
}
